// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/feature_rows.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <slackline/core/check.h>

namespace slackline::internal {

double Dot(const FeatureRow& a, const FeatureRow& b) {
  double sum = 0;
  if (a.dense() && b.dense()) {
    const Index n = std::min(a.count, b.count);
    for (Index f = 0; f < n; ++f) sum += a.values[f] * b.values[f];
  } else if (a.dense() != b.dense()) {
    const FeatureRow& dense = a.dense() ? a : b;
    const FeatureRow& sparse = a.dense() ? b : a;
    for (Index k = 0; k < sparse.count && sparse.columns[k] < dense.count; ++k) {
      sum += sparse.values[k] * dense.values[sparse.columns[k]];
    }
  } else {
    for (Index j = 0, k = 0; j < a.count && k < b.count;) {
      if (a.columns[j] == b.columns[k]) {
        sum += a.values[j++] * b.values[k++];
      } else if (a.columns[j] < b.columns[k]) {
        ++j;
      } else {
        ++k;
      }
    }
  }
  return sum;
}

FeatureRows::FeatureRows(const std::string& folder)
    : values_(folder), columns_(folder), rows_(folder) {
  columns_.Append(0);
}

void FeatureRows::WillNeed(Index first, Index count) const {
  const Entry& begin = rows_[first];
  const Entry& last = rows_[first + count - 1];
  // Rows that share values with those before them lie inside that range, or are in memory anyway.
  values_.WillNeed(begin.values, std::max<Offset>(last.values + last.count - begin.values, 0));
  if (begin.columns >= 0 && last.columns >= begin.columns)
    columns_.WillNeed(begin.columns, last.columns + last.count - begin.columns);
}

void FeatureRows::Append(std::span<const double> values, Offset columns) {
  double squared_norm = 0;
  for (const double value : values) {
    SLACKLINE_CHECK(std::isfinite(value), "a feature value is not a finite number");
    squared_norm += value * value;
  }
  SLACKLINE_CHECK(std::isfinite(squared_norm),
                  "a feature vector is too long: its squared norm is not a finite number");
  // When the values stored last equal those of the new row, as in rows of ones, the row shares
  // them.
  const std::size_t count = values.size();
  const bool shared = count > 0 && values_.size() >= count &&
                      std::memcmp(values_.data() + (values_.size() - count), values.data(),
                                  count * sizeof(double)) == 0;
  const Offset begin = static_cast<Offset>(values_.size() - (shared ? count : 0));
  if (!shared) values_.Append(values);
  rows_.Append(Entry{begin, columns, static_cast<Index>(count), squared_norm});
}

void FeatureRows::Reserve(Index rows, Offset values, Offset columns) {
  rows_.Reserve(rows);
  values_.Reserve(values);
  columns_.Reserve(columns + 1);
}

void FeatureRows::ShrinkToFit() {
  values_.ShrinkToFit();
  columns_.ShrinkToFit();
  rows_.ShrinkToFit();
}

Index FeatureRows::AddDense(std::span<const double> values) {
  Append(values, -1);
  dimension_ = std::max(dimension_, static_cast<Index>(values.size()));
  return size() - 1;
}

Index FeatureRows::AddSparse(std::span<const Index> columns, std::span<const double> values) {
  SLACKLINE_CHECK(columns.size() == values.size(),
                  "a sparse vector needs one value for every column");
  Index last = -1;
  for (const Index column : columns) {
    SLACKLINE_CHECK(column > last, "the columns of a sparse vector must increase");
    last = column;
  }
  const auto begin = static_cast<Offset>(columns_.size());
  columns_.Append(columns);
  Append(values, begin);
  dimension_ = std::max(dimension_, last + 1);
  return size() - 1;
}

}  // namespace slackline::internal
