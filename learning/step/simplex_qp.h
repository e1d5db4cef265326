// SPDX-License-Identifier: BSD-3-Clause
//
// Concave quadratic programs over one simplex,
//
//   max b·α − ½ αᵀHα   over α ≥ 0, Σ α = 1.
//
// Cutting planes solve one after every new plane: the dual of λ/2 ‖w‖² + max_k (b_k − w·a_k), with
// H_jk = ⟨a_j, a_k⟩/λ. A mixture of dual points (dual_mixture.h) is a program with a few entries,
// with H_jk = λ ⟨w_j, w_k⟩.
//
// Method of MaximiseOverSimplex: pairwise steps with the second-order choice of the working pair
// (Fan, Chen, Lin, JMLR 2005, section 2) find the entries that are not zero; Newton steps on these
// entries (Nocedal and Wright, 2nd ed., section 16.5: an active-set method) end at the optimum
// itself. Every step has a line search, so the value never falls, even if H is singular. Cost: O(n)
// a pairwise step, O(n s) a new gradient (for up to eight pairwise steps, and for every Newton
// step), O(s³) a Newton step, with n entries of which s are not zero.
#pragma once

#include <cstdint>
#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

struct SimplexQp {
  std::span<const double> linear;  ///< b: n entries
  const double* gram = nullptr;    ///< symmetric, positive semidefinite up to rounding; row-major
  std::size_t stride = 0;          ///< distance of its rows, ≥ n
  double scale = 1;                ///< H = scale · gram
};

struct SimplexQpResult {
  /// max_k g_k − α·g with g = b − Hα, at the end: an upper bound on the distance of the value from
  /// the maximum, up to rounding.
  double gap = 0;
  Index steps = 0;        ///< pairwise and Newton steps
  std::int64_t work = 0;  ///< multiply-adds, roughly
};

/// Improves `alpha` (≥ 0, sum 1; n ≥ 1 entries) until the gap is at most `tolerance`, or until
/// steps gain no more than rounding errors. Deterministic. Throws std::invalid_argument when sizes
/// do not fit.
SimplexQpResult MaximiseOverSimplex(const SimplexQp& qp, double tolerance, std::span<double> alpha);

/// For a few entries: starts at the best single entry and makes pairwise steps along the largest
/// slope until the slope is below 1e-14 of the gradient, at most 2000 steps. Overwrites `alpha` (n
/// ≥ 1 entries). When numbers overflow, `alpha` is the last point before.
void MaximiseSmallSimplexQp(const SimplexQp& qp, std::span<double> alpha);

}  // namespace slackline::internal
