// SPDX-License-Identifier: BSD-3-Clause
//
// Exact maximisation of whole examples by the oracles of their global factors
// (core/global_factor.h), where nothing couples these factors: no factor has a table, and no
// variable is in two global factors. Examples are a bipartite matching over all edges
// (factors/matching_factor.h), or a tree over all variables.
//
//   max_y Σ_i θ_i(y_i) + Σ_g w·φ_g(y_g)  =  Σ_g max_{y_g} [w·φ_g(y_g) + Σ_{i∈g} θ_i(y_i)]  +  Σ_{i
//     in no g} max_s θ_i(s),
//
// so that the factors' own oracles with messages −θ give the maximum of the example.
#pragma once

#include <memory>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// Whether there are global factors and nothing couples them: no factor has a table, and no
/// variable is in two of them. O(graph).
bool HasExactGlobals(const FactorGraph& graph);

/// A solver by the oracles of the global factors. Its upper_bound is the value that the oracles
/// return, checked against the value of their states (CheckedMaximum). If factors have weights,
/// SetWeights must be called before Solve. Throws DataError when the graph has no global factors,
/// or when they are coupled.
std::unique_ptr<MapSolver> MakeGlobalSolver(std::shared_ptr<const Structure> structure);

}  // namespace slackline::internal
