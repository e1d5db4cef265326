// SPDX-License-Identifier: BSD-3-Clause
//
// Maximisation where states are forbidden (scores of −∞), or where the magnitudes of scores differ
// so much that small ones would drown in the rounding errors of large ones (1e20 for "never"). In
// both cases solvers for ordinary scores do the work:
//
// 1. Forbidden states are removed. A state of a variable is also forbidden if some factor's table
//    has no allowed entry with it, and so on until nothing changes (generalised arc consistency).
//    A variable with one state left disappears into the tables of its factors; a factor with one
//    variable left is added to that variable. The smaller graph is the plan, which is kept while
//    the same states are forbidden.
// 2. What remains forbidden lies inside tables. With top_a = max θ_a, the loss of a state is
//    d_a = top_a − θ_a ≥ 0, and the best labelling has the least Σ d_a. The solver gets the scores
//    −min(d_a, C). They are not below the true ones, so that its bound is valid for any C; and if
//    its solution uses no state with d_a ≥ C, that solution is the true one. Levels C are tried
//    from below until one suffices: first a few times the largest loss of ordinary size, later up
//    to the sum of all finite losses, above which no labelling is worth a forbidden state. So the
//    rounding errors are those of the scores that the best labelling touches, whatever the other
//    scores are.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/map_solver.h>
#include <slackline/inference/reduced_graph.h>

namespace slackline::internal {

using SolverMaker = std::function<std::unique_ptr<MapSolver>(std::shared_ptr<const FactorGraph>)>;

/// A solver for all scores but NaN and +∞. make: makes the solver for ordinary scores, both for the
/// graph and for what remains of it (if no cycles remain, dynamic programming replaces it). Scores
/// without −∞ and of ordinary magnitudes (HasOrdinaryScores) go to the solver as they are.
///
/// Solve throws DataError when no labelling is allowed, when no allowed one was found, and when
/// scores could add up to more than 1e300.
std::unique_ptr<MapSolver> MakePresolvedSolver(std::shared_ptr<const FactorGraph> graph,
                                               SolverMaker make);

/// Throws DataError where the scores of a labelling could add up to more than 1e300, or less than
/// −1e300. −∞ does not count.
void RequireSummableScores(const FactorGraph& graph, std::span<const double> scores);

/// Whether all scores are finite, and no group of losses d_a (above) is larger than all others by a
/// factor of 2^20, or more than 2^30 times as large as the smallest losses. Losses below 2^−40 of
/// their part's scores count as rounding errors. O(total states).
bool HasOrdinaryScores(const FactorGraph& graph, std::span<const double> scores);

}  // namespace slackline::internal
