// SPDX-License-Identifier: BSD-3-Clause
//
// Enumeration of all labellings, the reference against which every other solver is tested.
#pragma once

#include <memory>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// Largest number of labellings that brute force accepts.
inline constexpr Offset kMaxLabellings = Offset{1} << 24;

/// Number of labellings of a graph, or `limit` + 1 when there are more than `limit`.
Offset CountLabellings(const FactorGraph& graph, Offset limit);

/// A solver over all labellings. Of labellings with equal sums it finds the lexicographically
/// lowest, variable 0 most significant. Throws DataError on global factors and above
/// kMaxLabellings. A factor is added when its last variable is set, so a labelling costs about as
/// much as the factors of the last variable. Memory O(n + C).
std::unique_ptr<MapSolver> MakeBruteForceSolver(std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
