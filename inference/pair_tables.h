// SPDX-License-Identifier: BSD-3-Clause
//
// Score tables of two variables, and the inner loop of max-sum over them: for all states s of one
// variable, the maximum over the states r of the other of table(r, s) plus or minus something that
// belongs to r.
//
// A table is kept twice, by rows of its first and of its second variable, each row padded to whole
// vectors, so that whole vectors of states s are maximised over rows r: R · S entries are read, two
// operations each. A Potts table (one value where the states are equal, one elsewhere; found by
// Set) takes 2 S operations instead: with v the equal and u the other value,
//     max_r table(r, s) + a_r = max(v + a_s, u + max_{r≠s} a_r),
// where the best and the second best a_r are enough for either sign of v − u.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

class PairTables {
 public:
  /// Appends a table of rows × cols states; returns its number.
  Index Add(Index rows, Index cols);
  Index size() const { return static_cast<Index>(tables_.size()); }

  /// All scores, by rows.
  void Set(Index table, std::span<const double> scores);

  /// A table seen from one of its variables.
  struct View {
    Index table = 0;
    /// seen from the first variable, whose states are s; r are those of the second
    bool transposed = false;
  };
  Index own_states(View view) const {
    const Table& table = tables_[view.table];
    return view.transposed ? table.rows : table.cols;
  }
  Index other_states(View view) const {
    const Table& table = tables_[view.table];
    return view.transposed ? table.cols : table.rows;
  }

  static constexpr Index kLanes = 4;  ///< of a vector
  /// Room that the output of MaxPlus and MaxMinus needs: own states, rounded up to whole vectors.
  /// The output must not overlap the input.
  static Index Padded(Index states) { return (states + kLanes - 1) / kLanes * kLanes; }
  /// out[s] = max_r table(r, s) + add[r].
  void MaxPlus(View view, const double* add, double* out) const;
  /// out[s] = max_r table(r, s) − shift[r].
  void MaxMinus(View view, const double* shift, double* out) const;
  /// The first of the largest table(r, s) + add[s].
  Index Best(View view, Index r, const double* add) const;
  /// table(r, ·): own_states entries.
  const double* row(View view, Index r) const {
    const Table& table = tables_[view.table];
    return Scores(table, view.transposed) +
           static_cast<std::ptrdiff_t>(r) * Padded(view.transposed ? table.rows : table.cols);
  }

  /// About the nanoseconds of both directions together.
  Offset Work(Index table) const {
    const Table& t = tables_[table];
    return t.potts ? t.rows + t.cols : static_cast<Offset>(t.rows) * t.cols;
  }

 private:
  struct Table {
    Index rows, cols;
    Offset by_row, by_col;  // where each of the two begins in scores_
    bool potts = false;
    double equal = 0, other = 0;  // of Potts tables
  };
  const double* Scores(const Table& table, bool transposed) const {
    return scores_.data() + (transposed ? table.by_col : table.by_row);
  }

  std::vector<Table> tables_;
  std::vector<double> scores_;
};

}  // namespace slackline::internal
