// SPDX-License-Identifier: BSD-3-Clause
//
// Score tables of two variables, and the inner loop of max-sum over them: for each state s of one
// variable, the maximum over the states r of the other variable of table(r, s) plus or minus a
// number for r.
//
// A table is stored twice, by rows of its first and of its second variable, with rows padded to
// whole vectors, so that whole vectors of states s are maximised over rows r. This reads R · S
// entries, with two operations each. A Potts table (one value v where the states are equal, another
// value u elsewhere), which Set detects, takes 2 S operations instead:
//     max_r table(r, s) + a_r = max(v + a_s, u + max_{r≠s} a_r),
// for which the best and the second best a_r suffice, for either sign of v − u.
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

  /// Sets all scores of a table, by rows.
  void Set(Index table, std::span<const double> scores);

  /// A table as seen from one of its variables: s are this variable's states, r those of the other.
  struct View {
    Index table = 0;
    bool transposed = false;  ///< false: s is the second variable; true: s is the first
  };
  Index own_states(View view) const {
    const Table& table = tables_[view.table];
    return view.transposed ? table.rows : table.cols;
  }
  Index other_states(View view) const {
    const Table& table = tables_[view.table];
    return view.transposed ? table.cols : table.rows;
  }

  static constexpr Index kLanes = 4;  ///< numbers in a vector
  /// Size of the output of MaxPlus and MaxMinus: own states, rounded up to whole vectors. The
  /// output must not overlap the input.
  static Index Padded(Index states) { return (states + kLanes - 1) / kLanes * kLanes; }
  /// out[s] = max_r table(r, s) + add[r].
  void MaxPlus(View view, const double* add, double* out) const;
  /// out[s] = max_r table(r, s) − shift[r].
  void MaxMinus(View view, const double* shift, double* out) const;
  /// The first state s with the largest table(r, s) + add[s].
  Index Best(View view, Index r, const double* add) const;
  /// table(r, ·): own_states entries.
  const double* row(View view, Index r) const {
    const Table& table = tables_[view.table];
    return Scores(table, view.transposed) +
           static_cast<std::ptrdiff_t>(r) * Padded(view.transposed ? table.rows : table.cols);
  }

  /// About the nanoseconds of MaxPlus in both directions together.
  Offset Work(Index table) const {
    const Table& t = tables_[table];
    return t.potts ? t.rows + t.cols : static_cast<Offset>(t.rows) * t.cols;
  }

 private:
  struct Table {
    Index rows, cols;
    Offset by_row, by_col;  // begins of the two copies in scores_
    bool potts = false;
    double equal = 0, other = 0;  // the two values of a Potts table
  };
  const double* Scores(const Table& table, bool transposed) const {
    return scores_.data() + (transposed ? table.by_col : table.by_row);
  }

  std::vector<Table> tables_;
  std::vector<double> scores_;
};

}  // namespace slackline::internal
