// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/tree_dp.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/brute_force.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// max { score | y_i = s } by enumeration, for all variables and states.
std::vector<double> EnumeratedMaxMarginals(const GraphPtr& graph,
                                           const std::vector<double>& scores) {
  std::vector<double> out;
  const auto solver = MakeBruteForceSolver(graph);
  for (Index i = 0; i < graph->num_variables(); ++i) {
    for (Index s = 0; s < graph->cardinality(i); ++s) {
      std::vector<double> fixed = scores;
      for (Index t = 0; t < graph->cardinality(i); ++t) {
        if (t != s) fixed[graph->state_offset(i) + t] -= 1e4;
      }
      const MapResult result = Solved(*solver, fixed);
      out.push_back(test::LabellingScore(*graph, scores, result.labels));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("max-product on forests agrees with brute force") {
  Random random(5);
  for (int number = 0; number < 200; ++number) {
    const GraphPtr graph = RandomForest(random, number % 9, 1 + number % 4);
    const std::vector<double> scores = SmallScores(random, *graph, number / 9);
    const MapResult expected = Solved(*MakeBruteForceSolver(graph), scores);
    TreeSolver solver(graph);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const MapResult result = Solved(solver, scores);
      CAPTURE(number);
      CHECK(Near(result.value, expected.value, kExact));
      CHECK(Near(test::LabellingScore(*graph, scores, result.labels), expected.value, kExact));
      CHECK(result.upper_bound == result.value);
      CHECK(result.exact);
    }
  }
}

TEST_CASE("large factors on forests: orders up to 5, scopes in any order") {
  Random random(6);
  for (int number = 0; number < 30; ++number) {
    FactorGraphBuilder builder;
    for (int i = 0; i < 9; ++i) builder.AddVariable(1 + static_cast<Index>(random.Below(3)));
    builder.AddFactor({4, 0, 2, 1});
    builder.AddFactor({8, 3, 2, 7, 6});
    builder.AddFactor({5, 7});
    builder.AddFactor({7});
    const GraphPtr graph = builder.Build();
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    const MapResult expected = Solved(*MakeBruteForceSolver(graph), scores);
    const MapResult result = Solved(TreeSolver(graph), scores);
    CHECK(Near(result.value, expected.value, kExact));
    CHECK(result.labels == expected.labels);
  }
}

TEST_CASE("ties go to the lowest state") {
  const GraphPtr graph = Grid(1, 4, 3);
  const MapResult result =
      Solved(TreeSolver(graph), std::vector<double>(graph->total_states(), 0.0));
  CHECK(result.labels == std::vector<Index>{0, 0, 0, 0});
}

TEST_CASE("max-marginals of forests agree with enumeration") {
  Random random(7);
  for (int number = 0; number < 80; ++number) {
    const GraphPtr graph = RandomForest(random, number % 8, 3);
    const std::vector<double> scores = SmallScores(random, *graph, number / 8);
    std::vector<double> out(graph->variable_states());
    TreeSolver(graph).MaxMarginals(scores, out);
    const std::vector<double> expected = EnumeratedMaxMarginals(graph, scores);
    for (std::size_t k = 0; k < out.size(); ++k) CHECK(Near(out[k], expected[k], kExact));
  }
}

TEST_CASE("the tree solver refuses graphs with cycles, also two factors over one pair") {
  CHECK_THROWS_AS(TreeSolver(Cycle(3, 2)), DataError);
  FactorGraphBuilder builder;
  builder.AddVariables(2, 2);
  builder.AddFactor({0, 1});
  CHECK_NOTHROW(TreeSolver(builder.Build()));
  builder.AddFactor({1, 0});
  CHECK_THROWS_AS(TreeSolver(builder.Build()), DataError);
}
