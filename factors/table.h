// SPDX-License-Identifier: BSD-3-Clause
//
// A factor over any number of variables, given by its table of features or a function that fills
// it.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

/// Immutable; copies share the table.
class TableFactor {
 public:
  /// Throws std::invalid_argument when the table is not valid (CheckFeatureTable).
  explicit TableFactor(FeatureTable table);
  /// A weight for each joint state.
  explicit TableFactor(std::vector<Index> cardinalities)
      : TableFactor(OwnWeightPerState(std::move(cardinalities))) {}
  /// Joint state y reads weight map.rows[y] times map.values[y]. A row of kAbsent means no weight;
  /// several states may share one.
  TableFactor(std::vector<Index> cardinalities, Index num_weights, StateMap map)
      : TableFactor(FeatureTable{std::move(cardinalities), num_weights, {std::move(map)}}) {}

  /// Calls fill(states, features) once per joint state, with all features zero; `fill` writes the
  /// other values.
  ///     // linear in the distance of two positions, truncated at 2
  ///     using States = std::span<const Index>;
  ///     TableFactor::FromFunction({5, 5}, 1, [](States y, std::span<double> features) {
  ///       features[0] = std::min(2, std::abs(y[0] - y[1]));
  ///     });
  template <class Fill>
  static TableFactor FromFunction(std::vector<Index> cardinalities, Index num_weights, Fill&& fill);

  std::span<const Index> cardinalities() const { return table_->cardinalities; }
  Index num_weights() const { return table_->num_weights; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> weights_out) const;
  const FeatureTable& feature_table() const { return *table_; }

  bool operator==(const TableFactor& other) const {
    return table_ == other.table_ || *table_ == *other.table_;
  }

 private:
  std::shared_ptr<const FeatureTable> table_;
};

template <class Fill>
TableFactor TableFactor::FromFunction(std::vector<Index> cardinalities, Index num_weights,
                                      Fill&& fill) {
  FeatureTableBuilder builder(cardinalities, num_weights);
  std::vector<Index> states(cardinalities.size(), 0);
  std::vector<double> features(num_weights);
  do {
    std::fill(features.begin(), features.end(), 0.0);
    fill(std::span<const Index>(states), std::span<double>(features));
    builder.Append(features);
  } while (NextJoint(cardinalities, states));
  return TableFactor(builder.Finish());
}

}  // namespace slackline::internal
