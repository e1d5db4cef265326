// SPDX-License-Identifier: BSD-3-Clause
//
// Labellings of associative pair models by graph cuts: exact where variables have two states, by
// expansion moves where they have more. For segmentation and other grids, where neighbours tend to
// agree.
//
// Source: Boykov, Veksler, Zabih, "Fast approximate energy minimization via graph cuts", PAMI 2001,
// section 5 (expansion moves) and theorem 6.1 (the bound). With costs D_i = max θ_i − θ_i and V_c =
// max θ_c − θ_c, which are ≥ 0, a move lets every variable keep its state or take α; the best of
// these 2^n labellings is a minimum cut (inference/max_flow.h) because of
//
//   V(a, b) + V(α, α) ≤ V(a, α) + V(α, b)   for all a, b, α,
//
// which holds for metrics and for tables that reward agreement (Potts with weights ≥ 0). Moves are
// made until none gains. Then E(y) ≤ D(y*) + 2c V(y*) with c = max_c (max V_c / min_{a≠b} V_c(a,
// b)), hence the certified bound E(y*) ≥ E(y)/(2c). c = 1 for Potts.
//
// Cost of a move: a maximum flow over the graph. Usually a few rounds over the states suffice.
#pragma once

#include <memory>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// A solver over labellings. With more than two states, moves begin with the labelling of the last
/// call that `warm` has kept, or with every variable's best state by its own scores. Its
/// upper_bound is the bound above; results are exact where variables have two states. Throws
/// DataError unless all variables have the same number of states, all factors join at most two
/// variables, and there are no global factors. Solve throws DataError on tables that violate the
/// inequality by more than rounding, and on forbidden states.
std::unique_ptr<MapSolver> MakeExpansionSolver(std::shared_ptr<const FactorGraph> graph);

/// The same with a better bound where variables have more than two states: after the moves, message
/// passing (message_passing.h) continues from `warm`. The result has the better of the two
/// labellings and the smaller bound.
std::unique_ptr<MapSolver> MakeBoundedExpansionSolver(std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
