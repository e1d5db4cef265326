// SPDX-License-Identifier: BSD-3-Clause
//
// The local-polytope LP by GLPK's simplex method. Built without SLACKLINE_WITH_GLPK, the maker
// throws.
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
/// Results: `marginals` is a corner, exactly feasible (constraints to rounding), or, within 1e-6 of
/// one, a labelling. `upper_bound` is the DualBound of messages made from the dual solution: valid
/// whatever GLPK's tolerances did. exact = integral and upper_bound − value ≤ 1e-7 · max(1,
/// |value|).
///
/// A WarmStart keeps the basis, two bits per row and column. Without one (null or empty) the solver
/// begins with a basis of its own, so results do not depend on what the object solved before.
///
/// Solve throws std::invalid_argument on scores that are not finite (GLPK would end the process),
/// std::runtime_error when the simplex method fails in every way that is tried.
///
/// Threads: one object per thread at a time. GLPK 5.0 keeps its environment in thread-local storage
/// (GLPK 4.65 and later, unless configured without), so objects of different threads are
/// independent. A problem belongs to the thread that made it; when the object moves to another
/// thread, the next call builds a new problem there, and the old one is deleted by its own thread.
///
/// tolerance: of the simplex method, for bounds and for reduced costs, within [1e-9, 0.1]. With a
/// loose one it may stop at corners that are not the best, or a little outside of the polytope:
/// these are made feasible, and the bound is as valid as ever, only not as close.
std::unique_ptr<MapSolver> MakeGlpkSolver(std::shared_ptr<const FactorGraph> graph,
                                          GlpkFormulation formulation = GlpkFormulation::kAuto,
                                          double tolerance = kTightLpTolerance);

}  // namespace slackline::internal
