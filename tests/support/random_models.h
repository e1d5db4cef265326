// SPDX-License-Identifier: BSD-3-Clause
//
// Random graphs of several families and random scores for them, for the tests of every solver.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/core/random.h>
#include <slackline/inference/map_solver.h>

#include "tests/support/vectors.h"

namespace slackline::internal::test {

using GraphPtr = std::shared_ptr<const FactorGraph>;

/// The answer of a solver. more: a warm start, or what else the solver takes after the scores.
template <class Solver, class More = WarmStart*>
MapResult Solved(Solver&& solver, std::span<const double> scores, More&& more = nullptr) {
  MapResult result;
  solver.Solve(scores, more, &result);
  return result;
}

/// The answer of a decoder.
template <class Decoder, class... Input>
MapResult Decoded(Decoder&& decoder, const Input&... input) {
  MapResult result;
  decoder.Decode(input..., &result);
  return result;
}

/// A graph without cycles on n ≥ 0 variables with 1 … max_states states each: pairs, some triples,
/// some unary factors, scopes in any order, sometimes several components.
GraphPtr RandomForest(Random& random, Index n, Index max_states);

/// n ≥ 0 variables with 1 … max_states states, and num_factors factors over 1 … min(max_order, n)
/// variables each (no factors when n = 0). Cycles and several factors over the same variables are
/// likely.
GraphPtr RandomGraph(Random& random, Index n, Index max_states, Index num_factors, Index max_order);

/// n ≥ 1 binary variables and num_factors factors over one or two of them; pairs may repeat.
GraphPtr RandomBinaryPairs(Random& random, Index n, Index num_factors);

/// n binary variables and a factor for every pair i < j.
GraphPtr FullBinary(Index n);

/// One cycle through n ≥ 3 variables.
GraphPtr Cycle(Index n, Index states);

/// A grid of rows × cols variables, each with a factor to its right and its lower neighbour.
GraphPtr Grid(Index rows, Index cols, Index states);

/// A small graph (at most 3^7 labellings) of family `number` mod 12: no, one and two variables,
/// single states, forests, cycles, grids, full binary graphs, mixed orders with unequal
/// cardinalities, unconnected variables. For loops over `number`.
GraphPtr SmallGraph(Random& random, int number);

/// Scores for loops over `number`, in turn: normal, small whole numbers, all negative, mostly zero.
std::vector<double> SmallScores(Random& random, const FactorGraph& graph, int number);

std::vector<Index> RandomLabels(Random& random, const FactorGraph& graph);

/// Normal scores with standard deviation `scale` for all states of all parts.
std::vector<double> RandomScores(Random& random, const FactorGraph& graph, double scale);

/// Random whole numbers in {−bound, …, bound}, with many ties.
std::vector<double> RandomIntegerScores(Random& random, const FactorGraph& graph, Index bound);

/// The model of the LP measurements: scores N(0, 1) for state 1 of variables and N(0,
/// 1)·strength/√n for joint state (1, 1) of pairs, all others 0. Requires binary variables and pair
/// factors.
std::vector<double> DenseBinaryScores(Random& random, const FactorGraph& graph, double strength);

/// Σ_a θ_a(y_a), by a plain loop.
double LabellingScore(const FactorGraph& graph, const std::vector<double>& scores,
                      const std::vector<Index>& labels);

}  // namespace slackline::internal::test
