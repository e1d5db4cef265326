// SPDX-License-Identifier: BSD-3-Clause
//
// The local-polytope LP by GLPK's simplex method. In a build without SLACKLINE_WITH_GLPK,
// MakeGlpkSolver throws DataError.
#pragma once

#include <memory>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

inline constexpr double kTightLpTolerance = 1e-9;

enum class GlpkFormulation {
  kAuto,     ///< kCompact where it applies
  kCompact,  ///< binary variables, factors over one or two: inference/binary_pairs.h
  kGeneral   ///< any graph: inference/local_polytope.h
};

/// A solver of max θ·μ over the local polytope.
///
/// Results: a labelling if the solution is within 1e-6 of one, else `marginals`, a corner that is
/// feasible up to rounding. `upper_bound` is the DualBound of messages made from the dual solution,
/// and valid whatever GLPK's tolerances are. exact = integral and upper_bound − value ≤ 1e-7 ·
/// max(1, |value|).
///
/// A WarmStart keeps the basis, two bits per row and column. Without one (null or empty) the solver
/// begins with a basis of its own, so that results do not depend on earlier calls.
///
/// Solve throws as RequireFiniteScores on scores that are not finite (GLPK would end the process),
/// and std::runtime_error when the simplex method fails in every way that is tried.
///
/// Threads: one object per thread at a time. GLPK 4.65 and later keep their environment in
/// thread-local storage (unless configured without), so that objects of different threads are
/// independent. A problem belongs to the thread that made it. When the object moves to another
/// thread, the next call builds a new problem there, and the old problem is deleted by its own
/// thread.
///
/// tolerance: of the simplex method, for bounds and for reduced costs, within [1e-9, 0.1], else
/// std::invalid_argument. With a loose tolerance the method may stop at a corner that is not the
/// best, or slightly outside the polytope. Such points are made feasible, and the bound stays valid
/// but is less tight. Throws DataError on global factors, and when kCompact does not apply.
std::unique_ptr<MapSolver> MakeGlpkSolver(std::shared_ptr<const FactorGraph> graph,
                                          GlpkFormulation formulation = GlpkFormulation::kAuto,
                                          double tolerance = kTightLpTolerance);

}  // namespace slackline::internal
