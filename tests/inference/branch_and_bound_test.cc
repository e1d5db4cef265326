// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/branch_and_bound.h>

#include <doctest/doctest.h>

#include <slackline/inference/brute_force.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("the search agrees with brute force on small graphs of every family") {
  Random random(21);
  for (int number = 0; number < 480; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    const MapResult expected = Solved(*MakeBruteForceSolver(graph), scores);
    const MapResult result = Solved(BranchAndBoundSolver(graph), scores);
    CAPTURE(number);
    CHECK(Near(result.value, expected.value, kExact));
    CHECK(Near(test::LabellingScore(*graph, scores, result.labels), result.value, kExact));
    CHECK(result.exact);
    CHECK(result.integral);
    CHECK(result.upper_bound == result.value);
  }
}

TEST_CASE(
    "the search agrees with brute force on 14 fully connected labels, weak and strong couplings") {
  Random random(22);
  const GraphPtr graph = FullBinary(14);
  const auto brute = MakeBruteForceSolver(graph);
  BranchAndBoundSolver search(graph);
  for (const double strength : {0.1, 0.5, 2.0, 50.0}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const std::vector<double> scores = DenseBinaryScores(random, *graph, strength);
      const MapResult expected = Solved(*brute, scores);
      const MapResult result = Solved(search, scores);
      CHECK(Near(result.value, expected.value, kExact));
      CHECK(result.exact);
    }
  }
}

TEST_CASE("22 fully connected labels are always solved, with few nodes") {
  Random random(23);
  const GraphPtr graph = FullBinary(22);
  BranchAndBoundSolver search(graph);
  for (const double strength : {0.5, 100.0}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const MapResult result = Solved(search, DenseBinaryScores(random, *graph, strength));
      CHECK(result.exact);
      CHECK(search.nodes() < 100000);
    }
    const MapResult result = Solved(search, RandomIntegerScores(random, *graph, 1));
    CHECK(result.exact);
  }
}

TEST_CASE("results do not depend on the scale of the scores") {
  Random random(24);
  const GraphPtr graph = RandomGraph(random, 8, 3, 14, 3);
  const std::vector<double> scores = RandomScores(random, *graph, 1);
  BranchAndBoundSolver search(graph);
  const MapResult expected = Solved(search, scores);
  for (const double scale : {1e-12, 1e12}) {
    std::vector<double> scaled = scores;
    for (double& score : scaled) score *= scale;
    const MapResult result = Solved(search, scaled);
    CHECK(result.labels == expected.labels);
    CHECK(result.exact);
  }
}

TEST_CASE("at the node limit the result is a labelling with a valid bound") {
  Random random(25);
  int stopped = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const GraphPtr graph = FullBinary(12);
    const std::vector<double> scores = DenseBinaryScores(random, *graph, 100);
    const MapResult expected = Solved(*MakeBruteForceSolver(graph), scores);
    for (const Offset limit : {1, 3, 10}) {
      BranchAndBoundSolver search(graph, {.node_limit = limit});
      const MapResult result = Solved(search, scores);
      CHECK(search.nodes() <= limit + 12);
      CHECK(result.value <= expected.value + kExact * std::abs(expected.value));
      CHECK(result.upper_bound >= expected.value - kExact * std::abs(expected.value));
      CHECK(Near(test::LabellingScore(*graph, scores, result.labels), result.value, kExact));
      CHECK(result.exact == (result.upper_bound == result.value));
      stopped += !result.exact;
    }
  }
  CHECK(stopped > 0);
}

TEST_CASE("the work of a call does not depend on the calls before it") {
  // Schedules compare the work of calls, and a resumed run starts with a new solver.
  Random random(27);
  const GraphPtr graph = FullBinary(8);
  const std::vector<double> hard = DenseBinaryScores(random, *graph, 100);
  const std::vector<double> easy(hard.size(), 0.0);
  MapResult result;
  BranchAndBoundSolver fresh(graph);
  fresh.Solve(easy, nullptr, &result);
  BranchAndBoundSolver used(graph);
  used.Solve(hard, nullptr, &result);
  CHECK(used.nodes() > 0);
  const std::int64_t before = used.work();
  used.Solve(easy, nullptr, &result);
  CHECK(used.work() - before == fresh.work());
  CHECK(used.nodes() == 0);
}
