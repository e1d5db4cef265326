// SPDX-License-Identifier: BSD-3-Clause
//
// Exponentials of score tables, several at a time: the inner loop of sum-product.
//
// e^t = 2^n e^r with n = t / ln 2 rounded and r = t − n ln 2 (ln 2 in two parts, so that r is exact
// to the last bits). e^r, |r| ≤ ln(2)/2, is computed by its Taylor series up to r^13, whose
// remainder is below 5e-18. The error is at most 3 units in the last place for −700 < t ≤ 0; the
// result is 0 for smaller t.
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// x[k] = exp((x[k] − shift) · inverse) for k < size; returns their sum. Requires shift finite,
/// inverse > 0 and finite, and x[k] ≤ shift (−∞ as well, which gives 0).
double ExpSum(double* x, Index size, double shift, double inverse);

/// The same for every column s of a table of rows × size, rows ≥ 1: x[r · size + s] = exp((x[r ·
/// size + s] − shift[s]) · inverse); sum[s] becomes the sum of column s.
void ExpColumns(double* x, Index rows, Index size, const double* shift, double inverse,
                double* sum);

}  // namespace slackline::internal
