// SPDX-License-Identifier: BSD-3-Clause
//
// Inner products of feature vectors of one example, where one weight block meets several inputs (a
// sequence, an image): by way of the weights, O(non-zeros of the inputs · rows), never input
// against input.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// Keeps a vector of the size of the weights, zero between calls. One object per thread.
class FeatureGram {
 public:
  /// out[k] = ⟨the feature vector with coordinates q, the one of coordinate k alone⟩ for the
  /// coordinates k of slots; both spans have num_coordinates entries or end with the slots. Slots
  /// without non-zero q are skipped in the first half.
  void Apply(const ExampleView& example, std::span<const double> q, std::span<double> out);

  /// The feature vector's squared Euclidean norm, scalar features included.
  double SquaredNorm(const ExampleView& example, std::span<const double> q);

 private:
  std::vector<double> weights_;
  std::vector<double> product_;
};

/// Number of coordinates that belong to slots: they come first.
Index SlotCoordinates(const Structure& structure);

}  // namespace slackline::internal
