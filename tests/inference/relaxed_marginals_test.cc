// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/relaxed_marginals.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/message_passing.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// From the messages of message passing, as predictions do.
RelaxedPoint Relax(const GraphPtr& graph, const std::vector<double>& scores,
                   const RelaxedOptions& options = {}) {
  WarmStart warm;
  const MapResult result = Solved(*MakeMessagePassingSolver(graph), scores, &warm);
  std::vector<double> messages;
  ReadMessages(*graph, &warm, &messages);
  const RelaxedPoint point = SolveLocalPolytope(*graph, scores, messages, options);
  CHECK(Near(DualBound(*graph, scores, messages), point.bound, kTight));
  return point;
}

/// What holds of every result, whatever its accuracy.
void CheckPoint(const GraphPtr& graph, const std::vector<double>& scores,
                const RelaxedPoint& point) {
  CHECK(PolytopeViolation(*graph, point.marginals) <= kFeasible);
  CHECK(Near(MarginalsScore(scores, point.marginals), point.value, kExact));
  CHECK(point.bound >= point.value);
  if (!HasGlpk()) return;
  const MapResult lp = Solved(*MakeGlpkSolver(graph, GlpkFormulation::kGeneral), scores);
  const double room = kTight * std::max(1.0, std::abs(lp.value));
  CHECK(point.value <= lp.value + room);
  CHECK(point.bound >= lp.value - room);
}

/// Scores of Potts pairs with random signs, so that cycles are frustrated.
std::vector<double> PottsScores(Random& random, const FactorGraph& graph, double unary) {
  std::vector<double> scores(graph.total_states(), 0.0);
  for (Index k = 0; k < graph.variable_states(); ++k) scores[k] = unary * random.Normal();
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const Index states = graph.cardinality(graph.scope(c)[0]);
    const double same = random.Normal();
    for (Index s = 0; s < states; ++s) scores[graph.factor_offset(c) + s * states + s] = same;
  }
  return scores;
}

}  // namespace

TEST_CASE("points are feasible and certified, and near the optimum on cycles and Potts grids") {
  Random random(71);
  std::vector<std::pair<GraphPtr, std::vector<double>>> problems;
  for (int trial = 0; trial < 12; ++trial) {
    const GraphPtr cycle = Cycle(3 + trial, 3 + trial % 3);
    problems.emplace_back(cycle, RandomScores(random, *cycle, 1));
    problems.emplace_back(cycle, PottsScores(random, *cycle, 0.2));
  }
  for (const Index states : {3, 4, 5}) {
    const GraphPtr grid = Grid(6, 6, states);
    problems.emplace_back(grid, PottsScores(random, *grid, 0.3));
    problems.emplace_back(grid, PottsScores(random, *grid, 0.003));
    problems.emplace_back(grid, RandomScores(random, *grid, 100));
  }
  for (const auto& [graph, scores] : problems) {
    const RelaxedPoint point = Relax(graph, scores);
    CheckPoint(graph, scores, point);
    CHECK(point.bound - point.value <= 1.001e-3 * std::abs(point.bound));
  }
}

TEST_CASE(
    "in a frustrated triangle the relaxation has all pairs disagree, which no labelling does") {
  const GraphPtr graph = Cycle(3, 2);
  std::vector<double> scores(graph->total_states(), 0.0);
  for (Index c = 0; c < 3; ++c) {
    double* const table = scores.data() + graph->factor_offset(c);
    table[1] = table[2] = 1;
  }
  const RelaxedPoint point = Relax(graph, scores);
  CheckPoint(graph, scores, point);
  // Every labelling scores at most 2; the relaxation has marginals 1/2 and scores 3.
  CHECK(point.value >= 3 * (1 - 1e-3));
  CHECK(point.bound <= 3 + kTight);
  for (Index k = 0; k < graph->variable_states(); ++k)
    CHECK(std::abs(point.marginals[k] - 0.5) <= 0.01);
}

TEST_CASE("any small graph has a feasible point and a bound, with an accuracy that is asked for") {
  Random random(72);
  int accurate = 0, fine = 0;
  constexpr int kGraphs = 240;
  for (int number = 0; number < kGraphs; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    CAPTURE(number);
    const RelaxedPoint point = Relax(graph, scores);
    CheckPoint(graph, scores, point);
    accurate += point.bound - point.value <= 1.001e-3 * std::abs(point.bound) + kTight;
    const RelaxedOptions options{.gap_tolerance = 1e-4};
    const RelaxedPoint finer = Relax(graph, scores, options);
    CHECK(finer.bound - finer.value <= point.bound - point.value + kTight);
    fine += finer.bound - finer.value <= 1.001e-4 * std::abs(finer.bound) + kTight;
  }
  CHECK(accurate >= kGraphs - 4);
  CHECK(fine >= kGraphs - 24);
}

TEST_CASE("limits end the sweeps with a valid point, and results do not depend on shifts") {
  Random random(73);
  const GraphPtr graph = Grid(8, 8, 5);
  std::vector<double> scores = RandomScores(random, *graph, 1);
  RelaxedOptions options{.gap_tolerance = 0, .max_sweeps = 30};
  const RelaxedPoint point = Relax(graph, scores, options);
  CHECK(point.sweeps == 30);
  CheckPoint(graph, scores, point);
  options.max_sweeps = 1000;
  options.max_exponentials = 20.0 * (2 * 25 * graph->num_factors());
  CHECK(Relax(graph, scores, options).sweeps == 20);

  // A constant on all states of one variable is no reason for a looser gap.
  const RelaxedPoint before = Relax(graph, scores);
  for (Index s = 0; s < 5; ++s) scores[s] += 1e4;
  const RelaxedPoint shifted = Relax(graph, scores);
  CheckPoint(graph, scores, shifted);
  CHECK(shifted.bound - shifted.value <= 2 * (before.bound - before.value));
}

TEST_CASE(
    "scores that do not matter, and graphs without factors or variables, are solved at once") {
  const GraphPtr grid = Grid(3, 3, 3);
  const RelaxedPoint nothing = Relax(grid, std::vector<double>(grid->total_states(), 0.0));
  CHECK(nothing.value == 0);
  CHECK(nothing.bound == 0);
  CHECK(nothing.sweeps == 0);
  CheckPoint(grid, std::vector<double>(grid->total_states(), 0.0), nothing);
  const GraphPtr empty = FactorGraphBuilder().Build();
  std::vector<double> none;
  CHECK(SolveLocalPolytope(*empty, none, none).value == 0);
  FactorGraphBuilder builder;
  builder.AddVariable(3);
  const GraphPtr single = builder.Build();
  const std::vector<double> scores = {1, 4, 2};
  const RelaxedPoint best = Relax(single, scores);
  CheckPoint(single, scores, best);
  CHECK(best.value >= 4 * (1 - 1e-3));
  CHECK_THROWS_AS(SolveLocalPolytope(*grid, scores, none), std::invalid_argument);
}
