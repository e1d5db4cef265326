// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/row_kernels.h>

#include <slackline/core/simd.h>

namespace slackline {
namespace {

// A strip of up to kStrip rows keeps its sums in registers while the features go by. 16 doubles are four AVX2 registers:
// enough independent additions to hide their latency. Every number of rows up to kStrip has its own loop, since several
// narrow sweeps over the same columns cost more than one (14 rows as 8 + 4 + 2: twice the time).
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
    for (Index k = 0; k < kFours; ++k) four[k] += value * *reinterpret_cast<const Four*>(column + 4 * k);
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
inline __attribute__((always_inline)) void StripScores(const double* weights, Index rows, const FeatureRow& x,
                                                       double* scores) {
  Strip<kRows> sum;
  if (x.dense()) {
    for (Index f = 0; f < x.count; ++f) sum.AddProduct(x.values[f], weights + static_cast<Offset>(f) * rows);
  } else {
    for (Index k = 0; k < x.count; ++k)
      sum.AddProduct(x.values[k], weights + static_cast<Offset>(x.columns[k]) * rows);
  }
  sum.Store(scores);
}

template <Index kRows>
inline __attribute__((always_inline)) void StripUpdate(double* weights, Index rows, const FeatureRow& x,
                                                       const double* delta) {
  Strip<kRows> step;
  step.Load(delta);
  if (x.dense()) {
    for (Index f = 0; f < x.count; ++f) step.AddTo(x.values[f], weights + static_cast<Offset>(f) * rows);
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

}  // namespace slackline
