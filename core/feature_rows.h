// SPDX-License-Identifier: BSD-3-Clause
//
// Input vectors x, dense or sparse, one after the other in one arena: in memory, in a file, in
// files that are mapped, or in arrays of the caller.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <slackline/core/file_map.h>
#include <slackline/core/growing_array.h>
#include <slackline/core/prefetch.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// One input vector. Dense: columns == nullptr and values[f] is feature f, f < count. Sparse:
/// values[k] is feature columns[k], columns strictly increasing.
struct FeatureRow {
  const double* values = nullptr;
  const Index* columns = nullptr;
  Index count = 0;
  double squared_norm = 0;

  bool dense() const { return columns == nullptr; }
};

/// Calls visit(feature, value), the feature as std::size_t, for the stored values of the first
/// num_features features.
template <class Visit>
void ForEachValue(const FeatureRow& row, Index num_features, const Visit& visit) {
  for (Index k = 0; k < row.count; ++k) {
    const Index feature = row.dense() ? k : row.columns[k];
    if (feature < num_features) visit(Size(feature), row.values[k]);
  }
}

/// The inner product of two vectors, each dense or sparse.
double Dot(const FeatureRow& a, const FeatureRow& b);

class FeatureRows {
 public:
  /// Rows in memory.
  FeatureRows() : FeatureRows(std::string()) {}
  /// Rows in files without names in an existing folder, so that memory need not hold them; "": in
  /// memory. Adding throws DataError when the disk is full. A copy lies in memory.
  explicit FeatureRows(const std::string& folder);

  /// A view of dense rows of `columns` features each, one after the other in `values`. Values must
  /// not change, and `owner` keeps them alive (without one, the caller does). Copies of the rows
  /// lie in memory, and so do all rows once a row is added. Requires columns ≥ 1 that divide the
  /// number of values, and values as in AddDense (else std::invalid_argument).
  static FeatureRows DenseView(std::span<const double> values, Index columns,
                               std::shared_ptr<const void> owner);
  /// A view of sparse rows: row r has the columns and values number starts[r] … starts[r + 1] − 1.
  /// Requires at least one start; starts ≥ 0 that do not descend and do not exceed the numbers of
  /// columns and of values; and rows as in AddSparse (else std::invalid_argument). `starts` is not
  /// needed afterwards.
  static FeatureRows SparseView(std::span<const Offset> starts, std::span<const Index> columns,
                                std::span<const double> values, std::shared_ptr<const void> owner);

  /// Rows of mapped files, which are read in place (AddMapped). No other rows can be added. A copy
  /// lies in memory.
  explicit FeatureRows(std::shared_ptr<const FileMap> files);
  /// Appends a row that lies in the mapped files: `count` values from byte `values` of their range
  /// on, a multiple of 8, and the columns from byte `columns` on, a multiple of 4; −1: the row is
  /// dense. Reads them once. Requires that they lie within the range, and a row as in AddDense or
  /// AddSparse (else std::invalid_argument). Rows must be added in the order of the files.
  Index AddMapped(Offset values, Offset columns, Index count);
  /// Divides the rows into windows, given by the number at which each window ends. Learners visit
  /// the examples of one window after those of another (ExampleVisits), so that they need few rows
  /// at a time. Ends must ascend up to size() (else std::invalid_argument). None: one window.
  void SetWindows(std::vector<Index> ends);
  std::span<const Index> window_ends() const { return window_ends_; }

  /// Appends a dense vector; returns its number. Values and their squared norm must be finite (else
  /// std::invalid_argument).
  Index AddDense(std::span<const double> values);
  /// Appends a sparse vector; returns its number. Columns must be ≥ 0 and strictly increasing, the
  /// values as in AddDense, and both of the same length (else std::invalid_argument).
  Index AddSparse(std::span<const Index> columns, std::span<const double> values);

  /// Makes room for this many rows, values and columns of sparse rows in all. Without it, up to
  /// half of the memory is reserved in vain, and growing needs twice the memory for a moment.
  void Reserve(Index rows, Offset values, Offset columns);

  Index size() const { return static_cast<Index>(rows_.size()); }
  FeatureRow row(Index r) const {
    const Entry& entry = rows_[r];
    return {values_.data() + entry.values,
            entry.columns < 0 ? nullptr : columns_.data() + entry.columns, entry.count,
            entry.squared_norm};
  }

  bool in_file() const { return values_.in_file() || mapped(); }
  bool is_view() const { return values_.is_view(); }
  /// Where rows lie in a file, has the system begin to read these. Requires count ≥ 1.
  void WillNeed(Index first, Index count) const;

  /// Prefetches the entries of `count` rows from `first` on. Where rows lie in a file, has the
  /// system read the rows instead; with several windows, rows are expected to be in memory already,
  /// by WillNeed.
  void PrefetchEntries(Index first, Index count) const {
    if (count == 0) return;
    if (read_on_demand()) return WillNeed(first, count);
    Prefetch(rows_.data() + first, count * sizeof(Entry), 4);
  }
  /// Prefetches the first cache lines of the values and columns of at most 8 of these rows, unless
  /// PrefetchEntries has had the system read them.
  void PrefetchValues(Index first, Index count) const {
    if (count == 0 || read_on_demand()) return;
    const Entry* const entries = rows_.data() + first;
    constexpr Index kMostRows = 8;
    constexpr std::size_t kLines = 4;
    for (Index k = 0; k < std::min(count, kMostRows); ++k) {
      const std::size_t length = entries[k].count;
      Prefetch(values_.data() + entries[k].values, length * sizeof(double), kLines);
      if (entries[k].columns >= 0)
        Prefetch(columns_.data() + entries[k].columns, length * sizeof(Index), kLines);
    }
  }

  /// 1 + the largest feature that occurs in any row; 0 without features.
  Index dimension() const { return dimension_; }
  /// Number of values in the arena. Rows that share the values of earlier rows, such as rows of
  /// ones, add none. With mapped files, the size of the files.
  Offset stored() const { return static_cast<Offset>(values_.size()); }
  /// Number of columns of sparse rows in the arena.
  Offset stored_columns() const { return static_cast<Offset>(columns_.size()) - unused_columns_; }

  /// Releases the memory that was reserved for further rows, up to half of all.
  void ShrinkToFit();

 private:
  struct Entry {
    Offset values;
    Offset columns;  // −1: dense
    Index count;
    double squared_norm;
  };
  void Append(std::span<const double> values, Offset columns);
  /// False for a copy, whose rows lie in memory.
  bool mapped() const { return files_ != nullptr && values_.is_view(); }
  /// Whether rows lie in a file from which the system reads them shortly before they are visited.
  bool read_on_demand() const { return in_file() && window_ends_.size() < 2; }

  std::shared_ptr<const FileMap> files_;  // null: none
  std::vector<Index> window_ends_;
  GrowingArray<double> values_;
  // With an unused first entry, except in views: sparse rows point here even when all of them are
  // empty.
  GrowingArray<Index> columns_;
  Offset unused_columns_ = 1;
  GrowingArray<Entry> rows_;
  Index dimension_ = 0;
};

}  // namespace slackline::internal
