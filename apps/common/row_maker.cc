// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/row_maker.h>

#include <algorithm>

namespace slackline::internal {

void RowMaker::EndRow() {
  std::sort(features_.begin(), features_.end());
  columns_.clear();
  values_.clear();
  for (const auto& [column, value] : features_) {
    if (!columns_.empty() && columns_.back() == column) {
      values_.back() += value;
      continue;
    }
    columns_.push_back(column);
    values_.push_back(value);
  }
  rows_->AddSparse(columns_, values_);
  features_.clear();
}

std::shared_ptr<const FeatureRows> RowMaker::Finish() {
  rows_->ShrinkToFit();
  return std::move(rows_);
}

}  // namespace slackline::internal
