// SPDX-License-Identifier: BSD-3-Clause
//
// The inner loops of max-sum over tables of two variables, in whole SIMD vectors of states. Results
// do not depend on the order of the states, because every sum has two terms and a maximum is exact.
// Numbers may be −∞ (forbidden), not NaN or +∞; `out` must not overlap the input.
#pragma once

#include <cstddef>

#include <slackline/core/types.h>

namespace slackline::internal {

/// out[s] = max_r table[r · stride + s] + add[r] for s < stride, a multiple of 4. Requires rows ≥
/// 1.
void MaxOverPaddedRowsPlus(const double* table, Index stride, const double* add, Index rows,
                           double* out);
/// out[s] = max_r table[r · stride + s] − shift[r].
void MaxOverPaddedRowsMinus(const double* table, Index stride, const double* shift, Index rows,
                            double* out);
/// out[s] = max_r table[r · size + s] + add[r] for s < size; `size` is any number. Requires rows ≥
/// 1.
void MaxOverRowsPlus(const double* table, const double* add, Index rows, Index size, double* out);

/// out[s] = max_r table[s · size + r] + add[r] for s < rows. Requires size ≥ 1.
void MaxInRowsPlus(const double* table, const double* add, Index rows, Index size, double* out);

/// A table over two variables: one is maximised out, the other one is its parent.
struct PairOfTree {
  const double* table;
  bool parent_first;  ///< whether the parent is the first (slow) variable of the table
  Index below;        ///< states of the variable that is maximised out
  Index above;        ///< states of the parent
};

/// Pairs of at most this many states are maximised inline, which is faster than a call.
constexpr Index kSmallPair = 5;

template <class Put>
inline void SmallPairMaxima(const PairOfTree& pair, const double* add, const Put& put) {
  const std::ptrdiff_t parent_stride = pair.parent_first ? pair.below : 1;
  const std::ptrdiff_t stride = pair.parent_first ? 1 : pair.above;
  const double* entry = pair.table;
  for (Index s = 0; s < pair.above; ++s, entry += parent_stride) {
    double best = entry[0] + add[0];
    for (Index r = 1; r < pair.below; ++r) {
      const double value = entry[r * stride] + add[r];
      best = value > best ? value : best;
    }
    put(s, best);
  }
}

/// out[s] = max_r { entry of the parent's state s and the other variable's state r, plus add[r] }.
inline void PairMessage(const PairOfTree& pair, const double* add, double* out) {
  if (pair.below <= kSmallPair && pair.above <= kSmallPair) {
    SmallPairMaxima(pair, add, [out](Index s, double best) { out[s] = best; });
  } else if (pair.parent_first) {
    MaxInRowsPlus(pair.table, add, pair.above, pair.below, out);
  } else {
    MaxOverRowsPlus(pair.table, add, pair.below, pair.above, out);
  }
}

/// Adds the message to belief. `room` is scratch space of as many entries as `belief`.
inline void AddPairMessage(const PairOfTree& pair, const double* add, double* room,
                           double* belief) {
  if (pair.below <= kSmallPair && pair.above <= kSmallPair) {
    SmallPairMaxima(pair, add, [belief](Index s, double best) { belief[s] += best; });
  } else {
    PairMessage(pair, add, room);
    for (Index s = 0; s < pair.above; ++s) belief[s] += room[s];
  }
}

}  // namespace slackline::internal
