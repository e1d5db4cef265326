// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse rows from features in any order.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <slackline/core/feature_rows.h>

namespace slackline::internal {

/// Collects the features of one row after the other. Values of the same column, such as features
/// with the same hash, add up.
class RowMaker {
 public:
  void Add(Index column, double value = 1) { features_.emplace_back(column, value); }
  /// Appends the row of what was added since the last row.
  void EndRow();
  /// The rows; no more can be added.
  std::shared_ptr<const FeatureRows> Finish();

 private:
  std::shared_ptr<FeatureRows> rows_ = std::make_shared<FeatureRows>();
  std::vector<std::pair<Index, double>> features_;
  std::vector<Index> columns_;
  std::vector<double> values_;
};

}  // namespace slackline::internal
