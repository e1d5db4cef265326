// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/row_kernels.h>

#include <algorithm>

#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

// A strip of up to kStrip rows keeps its sums in registers while it sweeps over the features. 16
// doubles are four AVX2 registers: enough independent additions to hide their latency. Every number
// of rows up to kStrip has its own loop, since several narrow sweeps over the same columns cost
// more than one (14 rows as 8 + 4 + 2: twice the time).
constexpr Index kStrip = 16;

/// kRows sums or steps as vectors: kRows / 4 wide ones, then a narrow one, then a single number.
template <Index kRows>
struct Strip {
  static constexpr Index kFours = kRows / 4;
  static constexpr bool kHasTwo = kRows % 4 >= 2;
  static constexpr bool kHasOne = kRows % 2 == 1;
  Four four[kFours > 0 ? kFours : 1] = {};
  Two two = {};
  double one = 0;

  inline __attribute__((always_inline)) void AddProduct(double value, const double* column) {
    for (Index k = 0; k < kFours; ++k)
      four[k] += value * *reinterpret_cast<const Four*>(column + 4 * k);
    if constexpr (kHasTwo) two += value * *reinterpret_cast<const Two*>(column + 4 * kFours);
    if constexpr (kHasOne) one += value * column[kRows - 1];
  }
  inline __attribute__((always_inline)) void AddTo(double value, double* column) const {
    for (Index k = 0; k < kFours; ++k) *reinterpret_cast<Four*>(column + 4 * k) += value * four[k];
    if constexpr (kHasTwo) *reinterpret_cast<Two*>(column + 4 * kFours) += value * two;
    if constexpr (kHasOne) column[kRows - 1] += value * one;
  }
  inline __attribute__((always_inline)) void Load(const double* from) {
    for (Index k = 0; k < kFours; ++k) four[k] = *reinterpret_cast<const Four*>(from + 4 * k);
    if constexpr (kHasTwo) two = *reinterpret_cast<const Two*>(from + 4 * kFours);
    if constexpr (kHasOne) one = from[kRows - 1];
  }
  inline __attribute__((always_inline)) void Store(double* to) const {
    for (Index k = 0; k < kFours; ++k) *reinterpret_cast<Four*>(to + 4 * k) = four[k];
    if constexpr (kHasTwo) *reinterpret_cast<Two*>(to + 4 * kFours) = two;
    if constexpr (kHasOne) to[kRows - 1] = one;
  }
};

template <Index kRows>
inline __attribute__((always_inline)) void StripScores(const double* weights, Index rows,
                                                       const FeatureRow& x, double* scores) {
  Strip<kRows> sum;
  if (x.dense()) {
    for (Index f = 0; f < x.count; ++f)
      sum.AddProduct(x.values[f], weights + static_cast<Offset>(f) * rows);
  } else {
    for (Index k = 0; k < x.count; ++k)
      sum.AddProduct(x.values[k], weights + static_cast<Offset>(x.columns[k]) * rows);
  }
  sum.Store(scores);
}

template <Index kRows>
inline __attribute__((always_inline)) void StripUpdate(double* weights, Index rows,
                                                       const FeatureRow& x, const double* delta) {
  Strip<kRows> step;
  step.Load(delta);
  if (x.dense()) {
    for (Index f = 0; f < x.count; ++f)
      step.AddTo(x.values[f], weights + static_cast<Offset>(f) * rows);
  } else {
    for (Index k = 0; k < x.count; ++k)
      step.AddTo(x.values[k], weights + static_cast<Offset>(x.columns[k]) * rows);
  }
}

template <Index kRows>
inline __attribute__((always_inline)) void TailScores(const double* weights, Index rows, Index tail,
                                                      const FeatureRow& x, double* scores) {
  if constexpr (kRows > 0) {
    if (tail == kRows) {
      StripScores<kRows>(weights, rows, x, scores);
    } else {
      TailScores<kRows - 1>(weights, rows, tail, x, scores);
    }
  }
}

template <Index kRows>
inline __attribute__((always_inline)) void TailUpdate(double* weights, Index rows, Index tail,
                                                      const FeatureRow& x, const double* delta) {
  if constexpr (kRows > 0) {
    if (tail == kRows) {
      StripUpdate<kRows>(weights, rows, x, delta);
    } else {
      TailUpdate<kRows - 1>(weights, rows, tail, x, delta);
    }
  }
}

// Tiles of kTile dense inputs and eight rows: twelve AVX2 registers of sums or steps, two of W, and
// one for the value of the current input. When the number of rows is not a multiple of eight, the
// last eight rows of a block overlap the eight before them.
constexpr Index kTile = 6;
constexpr Index kTileRows = 8;

template <Index kInputs>
inline __attribute__((always_inline)) void TileScores(const double* weights, Index rows,
                                                      const FeatureRow* inputs, Index first,
                                                      double* const* scores) {
  const double* x[kInputs];
  for (Index k = 0; k < kInputs; ++k) x[k] = inputs[k].values;
  Four low[kInputs] = {};
  Four high[kInputs] = {};
  const Index count = inputs[0].count;
  const double* column = weights + first;
  for (Index f = 0; f < count; ++f, column += rows) {
    const Four a = *reinterpret_cast<const Four*>(column);
    const Four b = *reinterpret_cast<const Four*>(column + 4);
    for (Index k = 0; k < kInputs; ++k) {
      low[k] += x[k][f] * a;
      high[k] += x[k][f] * b;
    }
  }
  for (Index k = 0; k < kInputs; ++k) {
    *reinterpret_cast<Four*>(scores[k] + first) = low[k];
    *reinterpret_cast<Four*>(scores[k] + first + 4) = high[k];
  }
}

/// done: how many rows from `first` on the previous tile has already updated.
template <Index kInputs>
inline __attribute__((always_inline)) void TileUpdate(double* weights, Index rows,
                                                      const FeatureRow* inputs, Index first,
                                                      Index done, const double* const* delta) {
  const double* x[kInputs];
  Four low[kInputs];
  Four high[kInputs];
  for (Index k = 0; k < kInputs; ++k) {
    x[k] = inputs[k].values;
    double step[kTileRows];
    for (Index r = 0; r < kTileRows; ++r) step[r] = r < done ? 0 : delta[k][first + r];
    low[k] = *reinterpret_cast<const Four*>(step);
    high[k] = *reinterpret_cast<const Four*>(step + 4);
  }
  const Index count = inputs[0].count;
  double* column = weights + first;
  for (Index f = 0; f < count; ++f, column += rows) {
    Four a = *reinterpret_cast<const Four*>(column);
    Four b = *reinterpret_cast<const Four*>(column + 4);
    for (Index k = 0; k < kInputs; ++k) {
      a += x[k][f] * low[k];
      b += x[k][f] * high[k];
    }
    *reinterpret_cast<Four*>(column) = a;
    *reinterpret_cast<Four*>(column + 4) = b;
  }
}

/// Whether the first kTile inputs exist, are dense and have equal length.
bool TileFits(std::span<const FeatureRow> inputs) {
  if (std::ssize(inputs) < kTile) return false;
  for (const FeatureRow& input : inputs.first(kTile)) {
    if (!input.dense() || input.count != inputs[0].count) return false;
  }
  return true;
}

}  // namespace

SLACKLINE_MULTIVERSION
void RowScores(const double* weights, Index rows, const FeatureRow& x, double* scores) {
  Index r = 0;
  for (; r + kStrip <= rows; r += kStrip) StripScores<kStrip>(weights + r, rows, x, scores + r);
  TailScores<kStrip - 1>(weights + r, rows, rows - r, x, scores + r);
}

SLACKLINE_MULTIVERSION
void RowUpdate(double* weights, Index rows, const FeatureRow& x, const double* delta) {
  Index r = 0;
  for (; r + kStrip <= rows; r += kStrip) StripUpdate<kStrip>(weights + r, rows, x, delta + r);
  TailUpdate<kStrip - 1>(weights + r, rows, rows - r, x, delta + r);
}

namespace {

SLACKLINE_MULTIVERSION
void ScoreTile(const double* weights, Index rows, const FeatureRow* inputs, double* const* scores) {
  for (Index r = 0; r < rows; r += kTileRows)
    TileScores<kTile>(weights, rows, inputs, std::min(r, rows - kTileRows), scores);
}

SLACKLINE_MULTIVERSION
void UpdateTile(double* weights, Index rows, const FeatureRow* inputs, const double* const* delta) {
  for (Index r = 0; r < rows; r += kTileRows) {
    const Index first = std::min(r, rows - kTileRows);
    TileUpdate<kTile>(weights, rows, inputs, first, r - first, delta);
  }
}

}  // namespace

void RowsScores(const double* weights, Index rows, std::span<const FeatureRow> inputs,
                std::span<double* const> scores) {
  for (std::size_t k = 0; k < inputs.size();) {
    if (rows >= kTileRows && TileFits(inputs.subspan(k))) {
      ScoreTile(weights, rows, inputs.data() + k, scores.data() + k);
      k += kTile;
    } else {
      RowScores(weights, rows, inputs[k], scores[k]);
      ++k;
    }
  }
}

void RowsUpdate(double* weights, Index rows, std::span<const FeatureRow> inputs,
                std::span<const double* const> delta) {
  for (std::size_t k = 0; k < inputs.size();) {
    if (rows >= kTileRows && TileFits(inputs.subspan(k))) {
      UpdateTile(weights, rows, inputs.data() + k, delta.data() + k);
      k += kTile;
    } else {
      RowUpdate(weights, rows, inputs[k], delta[k]);
      ++k;
    }
  }
}

}  // namespace slackline::internal
