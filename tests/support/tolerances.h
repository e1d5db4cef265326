// SPDX-License-Identifier: BSD-3-Clause
//
// All tolerances of the tests, relative to max(1, |value|) unless said otherwise.
#pragma once

#include <algorithm>
#include <cmath>

namespace slackline::internal::test {

inline constexpr double kExact = 1e-12;  ///< sums of the same numbers in another order
/// Relative to the largest term: sums in which large terms cancel.
inline constexpr double kSummands = 1e-14;
/// The same optimum by two direct methods; an LP value against its own bound.
inline constexpr double kTight = 1e-9;
inline constexpr double kSolver = 1e-7;  ///< optima of LP and QP solvers
/// Per entry: constraints of repaired tables, for marginals ≤ 1.
inline constexpr double kFeasible = 1e-15;
/// Per entry: constraints that a solver's fractional solution satisfies.
inline constexpr double kPolytope = 1e-12;

/// |a − b| ≤ tolerance · max(1, |a|, |b|); false for NaN.
inline bool Near(double a, double b, double tolerance = kExact) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace slackline::internal::test
