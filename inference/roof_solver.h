// SPDX-License-Identifier: BSD-3-Clause
//
// The local polytope of binary pairwise graphs by roof duality (inference/roof_duality.h), as a MapSolver.
#pragma once

#include <memory>

#include <slackline/inference/map_solver.h>

namespace slackline {

/// A solver of max θ·μ over the local polytope for graphs with binary variables and factors over one or two of them (else
/// DataError). Solutions are half-integral; `upper_bound` is the DualBound of the messages that the flow gives.
/// exact = integral and the bound reached within 1e-7 · max(1, |value|). Needs no warm start. Throws std::invalid_argument on
/// scores that are not finite.
std::unique_ptr<MapSolver> MakeRoofSolver(std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline
