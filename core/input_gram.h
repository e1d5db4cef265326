// SPDX-License-Identifier: BSD-3-Clause
//
// Inner products of an example's inputs that meet one weight block: once computed, inner products
// of feature vectors cost no more than their coordinates, however long the inputs are. With n
// inputs of a block: n² numbers, n²/2 inner products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline::internal {

class InputGram {
 public:
  /// Whether it can be used: every block with slots has all of them one after the other, in the
  /// structure's order.
  static bool Applies(const Structure& structure);
  /// Numbers that it keeps for an example of a structure.
  static Offset Numbers(const Structure& structure);

  InputGram() = default;
  /// Requires Applies.
  explicit InputGram(const ExampleView& example);

  bool empty() const { return gram_.empty() && counts_.empty(); }
  /// out[k] = ⟨the feature vector with coordinates q, the one of coordinate k alone⟩, as
  /// FeatureGram::Apply.
  void Apply(const Structure& structure, std::span<const double> q, std::span<double> out) const;

 private:
  // Per block a square matrix, in the order of the blocks' first slots; in one of the two:
  std::vector<double> gram_;
  std::vector<std::uint8_t> counts_;  // where all are whole numbers up to 255: inputs of ones
};

}  // namespace slackline::internal
