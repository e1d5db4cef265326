// SPDX-License-Identifier: BSD-3-Clause
//
// The line search of learner `bmrm` (bundle.cc).
#pragma once

#include <span>

#include <slackline/learning/planes/plane_labellings.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The k in [0, 1] that minimises λ/2 ‖w‖² + (1/M) Σ_m max over the cached labellings of H_m(·; w)
/// at w = from + k (to − from). This function of k is piecewise quadratic and convex; its minimum
/// is found by bisection on its slope.
double BestOnLine(const Problem& problem, std::span<const double> from, std::span<const double> to,
                  PlaneLabellings* cached);

}  // namespace slackline::internal
