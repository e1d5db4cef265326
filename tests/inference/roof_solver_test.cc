// SPDX-License-Identifier: BSD-3-Clause
//
// Compares max-marginals of the relaxation by roof duality with one solve per state, and with
// enumeration where the relaxation is tight.
#include <slackline/inference/roof_solver.h>

#include <doctest/doctest.h>

#include <slackline/inference/brute_force.h>
#include <slackline/inference/local_polytope.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// max { θ·μ | μ_i(s) = 1 } by `solver`: the other state gets a penalty larger than all scores
/// together.
double Conditioned(const FactorGraph& graph, const std::vector<double>& scores, Index i, Index s,
                   MapSolver* solver) {
  double penalty = 1;
  for (const double score : scores) penalty += 4 * std::abs(score);
  std::vector<double> fixed = scores;
  fixed[graph.state_offset(i) + 1 - s] -= penalty;
  const MapResult result = Solved(*solver, fixed);
  return result.integral ? test::LabellingScore(graph, scores, result.labels)
                         : MarginalsScore(scores, result.marginals);
}

std::vector<double> MaxMarginals(const GraphPtr& graph, const std::vector<double>& scores) {
  std::vector<double> out(graph->variable_states());
  RoofMarginals(graph).Compute(scores, out);
  return out;
}

}  // namespace

TEST_CASE("max-marginals agree with conditioned relaxations") {
  Random random(61);
  for (int number = 0; number < 80; ++number) {
    const GraphPtr graph = number % 3 == 0   ? FullBinary(4 + number % 9)
                           : number % 3 == 1 ? Grid(3, 4, 2)
                                             : RandomBinaryPairs(random, 9, 25);
    const std::vector<double> scores = number % 4 == 0   ? RandomIntegerScores(random, *graph, 2)
                                       : number % 4 == 1 ? RandomScores(random, *graph, 4)
                                                         : SmallScores(random, *graph, number);
    const auto solver = MakeRoofSolver(graph);
    const std::vector<double> out = MaxMarginals(graph, scores);
    for (Index i = 0; i < graph->num_variables(); ++i) {
      for (Index s = 0; s < 2; ++s)
        CHECK(Near(out[graph->state_offset(i) + s], Conditioned(*graph, scores, i, s, solver.get()),
                   kSolver));
    }
  }
}

TEST_CASE("with attractive pairs max-marginals are exact, and one object serves many scores") {
  Random random(62);
  const GraphPtr graph = FullBinary(8);
  const auto solver = MakeBruteForceSolver(graph);
  RoofMarginals marginals(graph);
  std::vector<double> out(graph->variable_states());
  for (int number = 0; number < 30; ++number) {
    std::vector<double> scores = DenseBinaryScores(random, *graph, 3);
    for (Index c = 0; c < graph->num_factors(); ++c)
      scores[graph->factor_offset(c) + 3] = std::abs(scores[graph->factor_offset(c) + 3]);
    marginals.Compute(scores, out);
    for (Index i = 0; i < 8; ++i) {
      for (Index s = 0; s < 2; ++s)
        CHECK(Near(out[graph->state_offset(i) + s], Conditioned(*graph, scores, i, s, solver.get()),
                   kExact));
    }
  }
}

TEST_CASE("bad scores are refused") {
  const GraphPtr graph = FullBinary(3);
  std::vector<double> scores(graph->total_states(), 0.0);
  std::vector<double> out(6);
  RoofMarginals marginals(graph);
  CHECK_THROWS_AS(marginals.Compute(scores, std::span(out).first(5)), std::invalid_argument);
  scores[2] = kInfinity;
  CHECK_THROWS_AS(marginals.Compute(scores, out), std::invalid_argument);
}
