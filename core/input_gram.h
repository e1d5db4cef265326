// SPDX-License-Identifier: BSD-3-Clause
//
// Inner products of the inputs of an example that share a weight block. Once these are computed,
// inner products of feature vectors only need coordinates, however long the inputs are. A block
// with n inputs takes n² numbers and n²/2 inner products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline::internal {

class InputGram {
 public:
  /// Whether InputGram supports the structure: the slots of every block follow each other in the
  /// structure's order, with consecutive coordinates.
  static bool Applies(const Structure& structure);
  /// How many numbers an InputGram stores for an example of the structure.
  static Offset Numbers(const Structure& structure);

  InputGram() = default;
  /// Requires Applies(example.structure()).
  explicit InputGram(const ExampleView& example);

  bool empty() const { return gram_.empty() && counts_.empty(); }
  /// out[k] = ⟨feature vector with coordinates q, feature vector of coordinate k alone⟩, as in
  /// FeatureGram::Apply.
  void Apply(const Structure& structure, std::span<const double> q, std::span<double> out) const;

 private:
  // One square matrix per block, in the order of the blocks' first slots, in one of two vectors:
  std::vector<double> gram_;
  std::vector<std::uint8_t> counts_;  // used when all are whole numbers ≤ 255
};

}  // namespace slackline::internal
