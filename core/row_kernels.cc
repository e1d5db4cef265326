// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/row_kernels.h>

#include <slackline/core/simd.h>

namespace slackline {
namespace {

// A strip of up to kStrip rows keeps its sums in registers while the features go by. 16 doubles are four AVX2 registers:
// enough independent additions to hide their latency. Every number of rows up to kStrip has its own loop, since several
// narrow sweeps over the same columns cost more than one (14 rows as 8 + 4 + 2: twice the time).
constexpr Index kStrip = 16;

template <Index kRows>
inline __attribute__((always_inline)) void StripScores(const double* weights, Index rows, const FeatureRow& x,
                                                       double* scores) {
  double sum[kRows] = {};
  if (x.dense()) {
    for (Index f = 0; f < x.count; ++f) {
      const double* column = weights + static_cast<Offset>(f) * rows;
      const double value = x.values[f];
      for (Index r = 0; r < kRows; ++r) sum[r] += value * column[r];
    }
  } else {
    for (Index k = 0; k < x.count; ++k) {
      const double* column = weights + static_cast<Offset>(x.columns[k]) * rows;
      const double value = x.values[k];
      for (Index r = 0; r < kRows; ++r) sum[r] += value * column[r];
    }
  }
  for (Index r = 0; r < kRows; ++r) scores[r] = sum[r];
}

template <Index kRows>
inline __attribute__((always_inline)) void StripUpdate(double* weights, Index rows, const FeatureRow& x,
                                                       const double* delta) {
  double step[kRows];
  for (Index r = 0; r < kRows; ++r) step[r] = delta[r];
  if (x.dense()) {
    for (Index f = 0; f < x.count; ++f) {
      double* column = weights + static_cast<Offset>(f) * rows;
      const double value = x.values[f];
      for (Index r = 0; r < kRows; ++r) column[r] += value * step[r];
    }
  } else {
    for (Index k = 0; k < x.count; ++k) {
      double* column = weights + static_cast<Offset>(x.columns[k]) * rows;
      const double value = x.values[k];
      for (Index r = 0; r < kRows; ++r) column[r] += value * step[r];
    }
  }
}

template <Index kRows>
inline __attribute__((always_inline)) void TailScores(const double* weights, Index rows, Index tail, const FeatureRow& x,
                                                      double* scores) {
  if constexpr (kRows > 0) {
    if (tail == kRows) {
      StripScores<kRows>(weights, rows, x, scores);
    } else {
      TailScores<kRows - 1>(weights, rows, tail, x, scores);
    }
  }
}

template <Index kRows>
inline __attribute__((always_inline)) void TailUpdate(double* weights, Index rows, Index tail, const FeatureRow& x,
                                                      const double* delta) {
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
