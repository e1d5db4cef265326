// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/pair_tables.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/simd.h>
#include <slackline/factors/max_product.h>
#include <slackline/factors/max_rows.h>

namespace slackline::internal {
namespace {

constexpr Index kLanes = PairTables::kLanes;
/// Smallest number of states with which the Potts form is used; below, a general table is as fast.
constexpr Index kSmallestPotts = 5;

// kSign is +1 or −1: whether a_r is added or subtracted.
template <int kSign>
inline __attribute__((always_inline)) double Largest(const double* a, Index size) {
  double best = -kInfinity;
  Index k = 0;
  if (size >= kLanes) {
    Four lanes = kSign * *reinterpret_cast<const Four*>(a);
    for (k = kLanes; k + kLanes <= size; k += kLanes) {
      const Four value = kSign * *reinterpret_cast<const Four*>(a + k);
      lanes = value > lanes ? value : lanes;
    }
    best = Larger(Larger(lanes[0], lanes[1]), Larger(lanes[2], lanes[3]));
  }
  for (; k < size; ++k) best = Larger(kSign * a[k], best);
  return best;
}

/// out[s] = max(equal + a_s, other + max_{r≠s} a_r) for the states 0 … size − 1 of both variables.
template <int kSign>
inline __attribute__((always_inline)) void MaxPotts(double equal, double other, const double* a,
                                                    Index size, double* out) {
  const double best = Largest<kSign>(a, size);
  const double rest = other + best;
  Index s = 0;
  const Four rests = {rest, rest, rest, rest};
  for (; s + kLanes <= size; s += kLanes) {
    const Four own = equal + kSign * *reinterpret_cast<const Four*>(a + s);
    *reinterpret_cast<Four*>(out + s) = own > rests ? own : rests;
  }
  for (; s < size; ++s) out[s] = Larger(equal + kSign * a[s], rest);
  if (equal >= other) return;  // at the best state, `rest` is at most its own value equal + best
  Index at = 0;
  while (at + 1 < size && kSign * a[at] != best) ++at;
  const double second = Larger(Largest<kSign>(a, at), Largest<kSign>(a + at + 1, size - at - 1));
  out[at] = Larger(equal + best, other + second);
}

SLACKLINE_MULTIVERSION
void MaxPottsPlus(double equal, double other, const double* a, Index size, double* out) {
  MaxPotts<+1>(equal, other, a, size, out);
}

SLACKLINE_MULTIVERSION
void MaxPottsMinus(double equal, double other, const double* a, Index size, double* out) {
  MaxPotts<-1>(equal, other, a, size, out);
}

bool IsPotts(std::span<const double> scores, Index rows, Index cols) {
  if (rows != cols || rows < kSmallestPotts) return false;
  for (Index r = 0; r < rows; ++r) {
    for (Index s = 0; s < cols; ++s) {
      if (scores[r * cols + s] != (r == s ? scores[0] : scores[1])) return false;
    }
  }
  return true;
}

}  // namespace

Index PairTables::Add(Index rows, Index cols) {
  SLACKLINE_CHECK(rows >= 1 && cols >= 1, "a table needs states");
  Table table{rows, cols, static_cast<Offset>(scores_.size()), 0};
  table.by_col = table.by_row + static_cast<Offset>(rows) * Padded(cols);
  tables_.push_back(table);
  scores_.resize(table.by_col + static_cast<Offset>(cols) * Padded(rows), -kInfinity);
  return size() - 1;
}

void PairTables::Set(Index number, std::span<const double> scores) {
  Table& table = tables_[number];
  const Index rows = table.rows;
  const Index cols = table.cols;
  SLACKLINE_CHECK(std::ssize(scores) == Offset{rows} * cols, "scores do not fit the table");
  double* by_row = scores_.data() + table.by_row;
  double* by_col = scores_.data() + table.by_col;
  for (Index r = 0; r < rows; ++r) {
    for (Index s = 0; s < cols; ++s) {
      const double value = scores[r * cols + s];
      by_row[r * Padded(cols) + s] = value;
      by_col[s * Padded(rows) + r] = value;
    }
  }
  table.potts = IsPotts(scores, rows, cols);
  if (!table.potts) return;
  table.equal = scores[0];
  table.other = scores[1];
}

Index PairTables::Best(View view, Index r, const double* add) const {
  return FirstBest(row(view, r), 1, add, own_states(view));
}

void PairTables::MaxPlus(View view, const double* add, double* out) const {
  const Table& table = tables_[view.table];
  if (table.potts) return MaxPottsPlus(table.equal, table.other, add, table.rows, out);
  MaxOverPaddedRowsPlus(Scores(table, view.transposed), Padded(own_states(view)), add,
                        other_states(view), out);
}

void PairTables::MaxMinus(View view, const double* shift, double* out) const {
  const Table& table = tables_[view.table];
  if (table.potts) return MaxPottsMinus(table.equal, table.other, shift, table.rows, out);
  MaxOverPaddedRowsMinus(Scores(table, view.transposed), Padded(own_states(view)), shift,
                         other_states(view), out);
}

}  // namespace slackline::internal
