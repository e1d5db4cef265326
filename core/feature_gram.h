// SPDX-License-Identifier: BSD-3-Clause
//
// Inner products of feature vectors of one example when a weight block reads several inputs (a
// sequence, an image). They are computed through a vector of the weights' length in O(non-zeros of
// the inputs · rows), without inner products of pairs of inputs.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// Keeps a vector of the size of the weights, zero between calls. One object per thread.
class FeatureGram {
 public:
  /// out[k] = ⟨feature vector with coordinates q, feature vector of coordinate k alone⟩ for the
  /// coordinates k of slots. Both spans have num_coordinates entries or end with the slots. Slots
  /// whose q is zero are skipped when the feature vector is formed.
  void Apply(const ExampleView& example, std::span<const double> q, std::span<double> out);

  /// The feature vector's squared Euclidean norm, scalar features included.
  double SquaredNorm(const ExampleView& example, std::span<const double> q);

 private:
  std::vector<double> weights_;
  std::vector<double> product_;
};

/// Number of coordinates that belong to slots; these coordinates come first.
Index SlotCoordinates(const Structure& structure);

}  // namespace slackline::internal
