// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/message_search.h>

#include <algorithm>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/message_passing.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline;
using namespace slackline::test;

namespace {

constexpr double kRoom = 1e-8;  // of max(1, |value|): what counts as reached

double Room(double value) { return kRoom * std::max(1.0, std::abs(value)); }

}  // namespace

TEST_CASE("message passing with searches agrees with brute force on small graphs of every family") {
  Random random(31);
  for (int number = 0; number < 480; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    MapResult expected;
    MapResult result;
    MakeBruteForceSolver(graph)->Solve(scores, nullptr, &expected);
    WarmStart warm;
    const auto solver = MakeMessageSearchSolver(graph);
    for (int call = 0; call < 2; ++call) {  // the second one with the messages of the first
      solver->Solve(scores, &warm, &result);
      CAPTURE(number);
      CHECK(result.integral);
      CHECK(result.exact);
      CHECK(test::LabellingScore(*graph, scores, result.labels) == doctest::Approx(result.value));
      CHECK(result.value <= expected.value + Room(expected.value));
      CHECK(result.value >= expected.value - Room(expected.value));
      CHECK(result.upper_bound >= expected.value - Room(expected.value));
      CHECK(result.upper_bound <= expected.value + Room(expected.value));
    }
  }
}

TEST_CASE("searches are right from any messages, those that were never passed included") {
  Random random(32);
  for (int number = 0; number < 240; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    std::vector<double> messages(static_cast<std::size_t>(graph->total_messages()));
    for (double& message : messages) message = 3 * random.Normal();
    MapResult expected;
    MapResult result;
    MakeBruteForceSolver(graph)->Solve(scores, nullptr, &expected);
    MessageSearch(graph).Solve(scores, messages, &result);
    CAPTURE(number);
    CHECK(result.exact);
    CHECK(Near(result.value, expected.value, 1e-9));
    CHECK(result.upper_bound == result.value);
  }
}

TEST_CASE("where messages leave a gap the search closes it, and good messages make it shorter") {
  Random random(33);
  int open = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const GraphPtr graph = Grid(7, 7, 3);
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    MessagePassing passing(graph);
    passing.SetScores(scores);
    std::vector<double> messages(static_cast<std::size_t>(graph->total_messages()), 0.0);
    for (int k = 0; k < 50; ++k) passing.Iterate(messages);
    const double bound = passing.Bound(messages);
    MapResult result;
    MessageSearch search(graph);
    search.Solve(scores, messages, &result);
    REQUIRE(result.exact);
    CHECK(result.value <= bound + kRoom);
    open += bound > result.value + 1e-3;
    const std::int64_t work = search.work();
    std::fill(messages.begin(), messages.end(), 0.0);
    MapResult cold;
    MessageSearch again(graph);
    again.Solve(scores, messages, &cold);
    CHECK(cold.upper_bound >= result.value - kRoom);
    CHECK(cold.value <= result.value + kRoom);
    CHECK(work <= 2 * again.work());
  }
  CHECK(open >= 5);
}

TEST_CASE("a search that is given up leaves a bound") {
  Random random(34);
  const GraphPtr graph = Grid(20, 20, 4);
  REQUIRE(MessageSearch::Fits(*graph) == (graph->total_states() <= MessageSearch::kMostStates));
  const GraphPtr hard = Grid(14, 14, 5);
  REQUIRE(MessageSearch::Fits(*hard));
  const std::vector<double> scores = RandomScores(random, *hard, 1);
  WarmStart warm;
  MapResult result;
  MakeMessageSearchSolver(hard)->Solve(scores, &warm, &result);
  CHECK_FALSE(result.exact);
  CHECK(result.upper_bound > result.value);
  CHECK(test::LabellingScore(*hard, scores, result.labels) == doctest::Approx(result.value));
  // Twenty times as many iterations cannot do better than the optimum, and no bound can be below a labelling.
  MapResult messages;
  MakeMessagePassingSolver(hard, {.max_iterations = 600, .tolerance = 1e-12})
      ->Solve(scores, nullptr, &messages);
  CHECK(result.upper_bound >= messages.value - kRoom);
  CHECK(messages.upper_bound >= result.value - kRoom);
}

TEST_CASE("what it refuses") {
  Random random(35);
  const GraphPtr graph = Grid(2, 2, 2);
  std::vector<double> scores = RandomScores(random, *graph, 1);
  scores[0] = -kInfinity;
  MapResult result;
  CHECK_THROWS_AS(MakeMessageSearchSolver(graph)->Solve(scores, nullptr, &result), DataError);
  CHECK_THROWS_AS(MakeMessageSearchSolver(nullptr), std::invalid_argument);
}
