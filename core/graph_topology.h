// SPDX-License-Identifier: BSD-3-Clause
//
// Questions about the shape of a factor graph, answered through Boost.Graph (in the source file
// only).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// component[i] = number of the connected component of variable i, counted from 0 in the order of
/// first variables.
struct Components {
  std::vector<Index> component;
  Index count = 0;
};
Components ConnectedComponents(const FactorGraph& graph);

/// True when the graph whose nodes are the variables and the factors has no cycle: then max-product
/// is exact and the local polytope is tight. Two factors that share two variables are already a
/// cycle. False for graphs with global factors: elimination over tables ignores such factors.
bool IsForest(const FactorGraph& graph);

/// One step of an elimination: `part` is finished and hands its message to `parent` (a part of the
/// other kind), or has no parent (−1) when it is the root of its component.
struct EliminationStep {
  Index part = 0;
  Index parent = -1;
};

/// An order in which every part comes after all its neighbours except one, its parent; roots have
/// none. All parts occur once, roots (always variables) last in their component. Requires
/// IsForest(graph), else std::invalid_argument.
std::vector<EliminationStep> ForestElimination(const FactorGraph& graph);

struct WeightedEdge {
  Index a = 0;
  Index b = 0;
  double weight = 0;
};

/// A spanning forest of nodes 0 … num_nodes−1 with the largest total weight, its edges sorted by
/// (a, b). Ties are broken by the order of `edges`.
std::vector<WeightedEdge> MaximumSpanningForest(Index num_nodes,
                                                std::span<const WeightedEdge> edges);

}  // namespace slackline::internal
