// SPDX-License-Identifier: BSD-3-Clause
//
// Labellings of associative pair models by graph cuts: the best one where variables have two
// states, expansion moves where they have more. For segmentation and other grids, where neighbours
// tend to agree.
//
// Source: Boykov, Veksler, Zabih, "Fast approximate energy minimization via graph cuts", PAMI 2001,
// section 5 (expansion moves) and theorem 6.1 (the bound). With costs D_i = max θ_i − θ_i and V_c =
// max θ_c − θ_c, which are ≥ 0, a move lets every variable keep its state or take α; the best of
// these 2^n labellings is a minimum cut (inference/max_flow.h) because of
//
//   V(a, b) + V(α, α) ≤ V(a, α) + V(α, b)   for all a, b, α,
//
// which metrics and tables that reward agreement (Potts with weights ≥ 0) have. Moves go on until
// none gains; then E(y) ≤ D(y*) + 2c V(y*) with c = max_c (max V_c / min_{a≠b} V_c(a, b)), hence
// the certified bound E(y*) ≥ E(y)/(2c). c = 1 for Potts.
//
// Cost of a move: a maximum flow over the graph. A few rounds over the states are enough as a rule.
#pragma once

#include <memory>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// Maximises over labellings. Every result satisfies the bound above (upper_bound), and is exact
/// where variables have two states. Solve throws DataError on tables that break the inequality by
/// more than rounding, and on forbidden states. Throws DataError unless all variables have the same
/// number of states and all factors join at most two; and on global factors.
std::unique_ptr<MapSolver> MakeExpansionSolver(std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
