// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/feature_rows.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

double CheckedSquaredNorm(std::span<const double> values) {
  double squared_norm = 0;
  for (const double value : values) {
    SLACKLINE_CHECK(std::isfinite(value), "a feature value is not a finite number");
    squared_norm += value * value;
  }
  SLACKLINE_CHECK(std::isfinite(squared_norm),
                  "a feature vector is too long: its squared norm is not a finite number");
  return squared_norm;
}

/// Returns the last column, −1 without any.
Index CheckColumns(std::span<const Index> columns) {
  Index last = -1;
  for (const Index column : columns) {
    SLACKLINE_CHECK(column > last, "the columns of a sparse vector must increase");
    last = column;
  }
  return last;
}

void CheckStarts(std::span<const Offset> starts, std::size_t num_columns, std::size_t num_values) {
  SLACKLINE_CHECK(!starts.empty() && starts[0] >= 0,
                  "rows need a first start that is not negative");
  for (std::size_t r = 1; r < starts.size(); ++r)
    SLACKLINE_CHECK(starts[r] >= starts[r - 1], "the starts of rows must not descend");
  SLACKLINE_CHECK(std::cmp_less_equal(starts.back(), std::min(num_columns, num_values)),
                  "there are fewer columns or values than the starts of rows say");
}

}  // namespace

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

FeatureRows FeatureRows::DenseView(std::span<const double> values, Index columns,
                                   std::shared_ptr<const void> owner) {
  SLACKLINE_CHECK(columns >= 1 && values.size() % Size(columns) == 0,
                  "the values of dense rows are not a multiple of their columns");
  FeatureRows rows;
  rows.rows_.Reserve(values.size() / Size(columns));
  for (std::size_t at = 0; at < values.size(); at += Size(columns)) {
    rows.rows_.Append(Entry{static_cast<Offset>(at), -1, columns,
                            CheckedSquaredNorm(values.subspan(at, Size(columns)))});
  }
  rows.values_ = GrowingArray<double>(values, std::move(owner));
  rows.dimension_ = values.empty() ? 0 : columns;
  return rows;
}

FeatureRows FeatureRows::SparseView(std::span<const Offset> starts, std::span<const Index> columns,
                                    std::span<const double> values,
                                    std::shared_ptr<const void> owner) {
  CheckStarts(starts, columns.size(), values.size());
  FeatureRows rows;
  rows.rows_.Reserve(starts.size() - 1);
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    const auto begin = static_cast<std::size_t>(starts[r]);
    const std::size_t count = static_cast<std::size_t>(starts[r + 1]) - begin;
    const Index last = CheckColumns(columns.subspan(begin, count));
    // Columns increase, so that their number fits an Index.
    rows.rows_.Append(Entry{starts[r], starts[r], static_cast<Index>(count),
                            CheckedSquaredNorm(values.subspan(begin, count))});
    rows.dimension_ = std::max(rows.dimension_, last + 1);
  }
  rows.values_ = GrowingArray<double>(values, owner);
  // Without columns there may be no address that tells sparse rows from dense ones.
  if (!columns.empty()) {
    rows.columns_ = GrowingArray<Index>(columns, std::move(owner));
    rows.unused_columns_ = 0;
  }
  return rows;
}

FeatureRows::FeatureRows(std::shared_ptr<const FileMap> files) : files_(std::move(files)) {
  const std::string_view bytes = files_->bytes();
  values_ = GrowingArray<double>(
      {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)}, files_);
  columns_ = GrowingArray<Index>(
      {reinterpret_cast<const Index*>(bytes.data()), bytes.size() / sizeof(Index)}, files_);
  unused_columns_ = 0;
}

Index FeatureRows::AddMapped(Offset values, Offset columns, Index count) {
  const auto within = [&](Offset begin, Offset size) {
    return begin >= 0 && begin % size == 0 &&
           begin + Offset{count} * size <= static_cast<Offset>(files_->bytes().size());
  };
  SLACKLINE_CHECK(mapped() && count >= 0 && within(values, sizeof(double)) &&
                      (columns == -1 || within(columns, sizeof(Index))),
                  "a row does not lie in the mapped files");
  const Offset first_value = values / static_cast<Offset>(sizeof(double));
  const Offset first_column = columns < 0 ? -1 : columns / static_cast<Offset>(sizeof(Index));
  const std::size_t length = Size(count);
  const Index last =
      columns < 0 ? count - 1 : CheckColumns({columns_.data() + first_column, length});
  rows_.Append(Entry{first_value, first_column, count,
                     CheckedSquaredNorm({values_.data() + first_value, length})});
  dimension_ = std::max(dimension_, last + 1);
  return size() - 1;
}

void FeatureRows::SetWindows(std::vector<Index> ends) {
  Index before = 0;
  for (const Index end : ends) {
    SLACKLINE_CHECK(end > before, "the ends of windows must ascend");
    before = end;
  }
  SLACKLINE_CHECK(ends.empty() || before == size(), "the last window ends with the last row");
  window_ends_ = std::move(ends);
}

void FeatureRows::WillNeed(Index first, Index count) const {
  const Entry& begin = rows_[first];
  const Entry& last = rows_[first + count - 1];
  if (mapped()) {
    // Sparse rows may share values that lie before the columns of all these rows. Otherwise the
    // columns of a row follow its values.
    const auto columns_byte = begin.columns * static_cast<Offset>(sizeof(Index));
    const bool shares_values =
        columns_byte > (begin.values + begin.count) * static_cast<Offset>(sizeof(double));
    const auto first_byte =
        shares_values ? columns_byte : begin.values * static_cast<Offset>(sizeof(double));
    const auto end = std::max((last.values + last.count) * static_cast<Offset>(sizeof(double)),
                              (last.columns + last.count) * static_cast<Offset>(sizeof(Index)));
    if (end > first_byte)
      files_->WillNeed(static_cast<std::uint64_t>(first_byte),
                       static_cast<std::uint64_t>(end - first_byte));
    return;
  }
  // Rows that share the values of earlier rows lie inside this range, or are in memory anyway.
  values_.WillNeed(begin.values, std::max<Offset>(last.values + last.count - begin.values, 0));
  if (begin.columns >= 0 && last.columns >= begin.columns)
    columns_.WillNeed(begin.columns, last.columns + last.count - begin.columns);
}

void FeatureRows::Append(std::span<const double> values, Offset columns) {
  SLACKLINE_CHECK(files_ == nullptr, "only mapped rows can follow mapped rows");
  const double squared_norm = CheckedSquaredNorm(values);
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
  const Index last = CheckColumns(columns);
  const auto begin = static_cast<Offset>(columns_.size());
  columns_.Append(columns);
  Append(values, begin);
  dimension_ = std::max(dimension_, last + 1);
  return size() - 1;
}

}  // namespace slackline::internal
