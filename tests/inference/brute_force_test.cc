// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/brute_force.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>

#include "tests/support/all_labellings.h"
#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Plain enumeration.
std::vector<Index> FirstBest(const FactorGraph& graph, const std::vector<double>& scores,
                             double* value) {
  std::vector<Index> best;
  *value = -kInfinity;
  for (const auto& labels : AllLabellings(graph.cardinalities())) {
    const double score = test::LabellingScore(graph, scores, labels);
    if (score > *value) {
      *value = score;
      best = labels;
    }
  }
  return best;
}

}  // namespace

TEST_CASE(
    "brute force finds the maximum, and among equal ones the lexicographically lowest labelling") {
  Random random(11);
  for (int number = 0; number < 96; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = number % 2 == 0 ? RandomIntegerScores(random, *graph, 1)
                                                       : SmallScores(random, *graph, number / 12);
    double value = 0;
    const std::vector<Index> expected = FirstBest(*graph, scores, &value);
    const MapResult result = Solved(*MakeBruteForceSolver(graph), scores);
    CAPTURE(number);
    CHECK(Near(result.value, value, kExact));
    CHECK(result.upper_bound == result.value);
    CHECK(result.exact);
    CHECK(result.integral);
    CHECK(result.marginals.empty());
    if (number % 2 == 0) CHECK(result.labels == expected);
  }
}

TEST_CASE("brute force accepts 2^24 labellings and refuses more") {
  FactorGraphBuilder builder;
  builder.AddVariables(24, 2);
  CHECK_NOTHROW(MakeBruteForceSolver(builder.Build()));
  builder.AddVariable(1);
  CHECK_NOTHROW(MakeBruteForceSolver(builder.Build()));
  builder.AddVariable(2);
  CHECK_THROWS_AS(MakeBruteForceSolver(builder.Build()), DataError);
}

TEST_CASE("labellings are counted up to a limit") {
  FactorGraphBuilder builder;
  CHECK(CountLabellings(*builder.Build(), 10) == 1);
  builder.AddVariable(5);
  builder.AddVariable(2);
  CHECK(CountLabellings(*builder.Build(), 10) == 10);
  CHECK(CountLabellings(*builder.Build(), 9) == 10);
  builder.AddVariables(1000, 7);
  CHECK(CountLabellings(*builder.Build(), 100) == 101);
}

TEST_CASE("brute force refuses scores of the wrong length") {
  MapResult result;
  const auto solver = MakeBruteForceSolver(FullBinary(2));
  CHECK_THROWS_AS(solver->Solve(std::vector<double>(7), nullptr, &result), std::invalid_argument);
}
