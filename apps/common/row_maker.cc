// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/row_maker.h>

#include <algorithm>
#include <tuple>

namespace slackline::internal {

void RowMaker::EndRow() {
  if (ones_) {
    std::sort(columns_.begin(), columns_.end());
  } else {
    sorted_.clear();
    for (std::size_t k = 0; k < columns_.size(); ++k) sorted_.emplace_back(columns_[k], values_[k]);
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t k = 0; k < columns_.size(); ++k)
      std::tie(columns_[k], values_[k]) = sorted_[k];
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (kept > 0 && columns_[kept - 1] == columns_[k]) {
      values_[kept - 1] += values_[k];
      continue;
    }
    columns_[kept] = columns_[k];
    values_[kept++] = values_[k];
  }
  columns_.resize(kept);
  values_.resize(kept);
  rows_->AddSparse(columns_, values_);
  columns_.clear();
  values_.clear();
  ones_ = true;
}

std::shared_ptr<const FeatureRows> RowMaker::Finish() {
  rows_->ShrinkToFit();
  return std::move(rows_);
}

}  // namespace slackline::internal
