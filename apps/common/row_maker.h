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
  void Add(Index column, double value = 1) {
    columns_.push_back(column);
    values_.push_back(value);
    ones_ = ones_ && value == 1;
  }
  /// Appends a row with what was added since the previous row.
  void EndRow();
  /// The rows; no more can be added.
  std::shared_ptr<const FeatureRows> Finish();

 private:
  std::shared_ptr<FeatureRows> rows_ = std::make_shared<FeatureRows>();
  std::vector<Index> columns_;
  std::vector<double> values_;
  bool ones_ = true;  // all values of the row are 1, so that columns are sorted alone
  std::vector<std::pair<Index, double>> sorted_;
};

}  // namespace slackline::internal
