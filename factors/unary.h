// SPDX-License-Identifier: BSD-3-Clause
//
// A factor over one variable: a constant per state.
#pragma once

#include <span>
#include <vector>

#include <slackline/factors/table.h>

namespace slackline::internal {

class UnaryFactor {
 public:
  /// A weight for each state.
  explicit UnaryFactor(Index cardinality) : table_(std::vector<Index>{cardinality}) {}
  /// State s reads weight rows[s] of num_weights. A row of kAbsent has no weight (its score is 0);
  /// states with equal rows are tied.
  UnaryFactor(const std::vector<Index>& rows, Index num_weights);

  std::span<const Index> cardinalities() const { return table_.cardinalities(); }
  Index num_weights() const { return table_.num_weights(); }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> weights_out) const {
    table_.AddFeatures(states, scale, weights_out);
  }
  const FeatureTable& feature_table() const { return table_.feature_table(); }

  bool operator==(const UnaryFactor& other) const = default;

 private:
  TableFactor table_;
};

}  // namespace slackline::internal
