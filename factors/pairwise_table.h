// SPDX-License-Identifier: BSD-3-Clause
//
// A factor over two variables with a weight for each of its K0 · K1 joint states, in their order
// (y_1 fastest).
#pragma once

#include <array>
#include <span>

#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

class PairwiseTableFactor {
 public:
  /// Throws std::invalid_argument when a cardinality is less than 1 or the table would be too
  /// large.
  PairwiseTableFactor(Index first_cardinality, Index second_cardinality);

  std::span<const Index> cardinalities() const { return cardinalities_; }
  Index num_weights() const { return cardinalities_[0] * cardinalities_[1]; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> weights_out) const {
    weights_out[Joint(states)] += scale;
  }
  FeatureTable feature_table() const {
    return OwnWeightPerState({cardinalities_[0], cardinalities_[1]});
  }

  bool operator==(const PairwiseTableFactor& other) const = default;

 private:
  std::size_t Joint(std::span<const Index> states) const {
    return Offset{states[0]} * cardinalities_[1] + states[1];
  }
  std::array<Index, 2> cardinalities_;
};

}  // namespace slackline::internal
