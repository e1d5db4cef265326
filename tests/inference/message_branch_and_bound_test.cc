// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/message_branch_and_bound.h>

#include <algorithm>

#include <doctest/doctest.h>

#include <slackline/inference/brute_force.h>
#include <slackline/inference/message_passing.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr double kRoom = 1e-8;  // relative to max(1, |value|): differences that count as equal

double Room(double value) { return kRoom * std::max(1.0, std::abs(value)); }

}  // namespace

TEST_CASE(
    "message passing with branch and bound agrees with brute force on small graphs of every "
    "family") {
  Random random(31);
  for (int number = 0; number < 480; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    MapResult result;
    const MapResult expected = Solved(*MakeBruteForceSolver(graph), scores);
    WarmStart warm;
    const auto solver = MakeMessageBranchAndBoundSolver(graph);
    for (int call = 0; call < 2; ++call) {  // the second call starts from the messages of the first
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

TEST_CASE("searches are exact from any messages, including messages that were never passed") {
  Random random(32);
  for (int number = 0; number < 240; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    std::vector<double> messages = Normals(random, graph->total_messages(), 3);
    const MapResult expected = Solved(*MakeBruteForceSolver(graph), scores);
    const MapResult result = Solved(MessageBranchAndBound(graph), scores, messages);
    CAPTURE(number);
    CHECK(result.exact);
    CHECK(Near(result.value, expected.value, 1e-9));
    CHECK(result.upper_bound == result.value);
  }
}

TEST_CASE("the search closes the gap of messages, and good messages shorten the search") {
  Random random(33);
  int open = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const GraphPtr graph = Grid(7, 7, 3);
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    MessagePassing passing(graph);
    passing.SetScores(scores);
    std::vector<double> messages(graph->total_messages(), 0.0);
    for (int k = 0; k < 50; ++k) passing.Iterate(messages);
    const double bound = passing.Bound(messages);
    MessageBranchAndBound search(graph);
    const MapResult result = Solved(search, scores, messages);
    REQUIRE(result.exact);
    CHECK(result.value <= bound + kRoom);
    open += bound > result.value + 1e-3;
    const std::int64_t work = search.work();
    std::fill(messages.begin(), messages.end(), 0.0);
    MessageBranchAndBound again(graph);
    const MapResult cold = Solved(again, scores, messages);
    CHECK(cold.upper_bound >= result.value - kRoom);
    CHECK(cold.value <= result.value + kRoom);
    CHECK(work <= 2 * again.work());
  }
  CHECK(open >= 5);
}

TEST_CASE("an abandoned search leaves a bound") {
  Random random(34);
  const GraphPtr graph = Grid(20, 20, 4);
  REQUIRE(MessageBranchAndBound::Fits(*graph) ==
          (graph->total_states() <= MessageBranchAndBound::kMostStates));
  const GraphPtr hard = Grid(14, 14, 5);
  REQUIRE(MessageBranchAndBound::Fits(*hard));
  const std::vector<double> scores = RandomScores(random, *hard, 1);
  WarmStart warm;
  const MapResult result = Solved(*MakeMessageBranchAndBoundSolver(hard), scores, &warm);
  CHECK_FALSE(result.exact);
  CHECK(result.upper_bound > result.value);
  CHECK(test::LabellingScore(*hard, scores, result.labels) == doctest::Approx(result.value));
  // Message passing with twenty times as many iterations gives a labelling that the search's bound
  // must cover, and a bound that must cover the search's labelling.
  const MapResult messages =
      Solved(*MakeMessagePassingSolver(hard, {.max_iterations = 600, .tolerance = 1e-12}), scores);
  CHECK(result.upper_bound >= messages.value - kRoom);
  CHECK(messages.upper_bound >= result.value - kRoom);
}

TEST_CASE("a higher limit ends searches that the first one does not") {
  Random random(36);
  int given_up = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const GraphPtr graph = Grid(10, 10, 4);
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    const std::vector<double> messages(graph->total_messages(), 0.0);
    MessageBranchAndBound search(graph);
    MapResult first, last;
    search.Solve(scores, messages, &first);
    search.Solve(scores, messages, &last, MessageBranchAndBound::kMostDoublings);
    CHECK(last.upper_bound <= first.upper_bound + kRoom);
    CHECK(last.value >= first.value - kRoom);
    given_up += !first.exact && last.exact;
  }
  CHECK(given_up >= 3);
}

TEST_CASE("a plan tries higher limits in turn, and keeps the limit at which a search succeeded") {
  const GraphPtr graph = Grid(2, 2, 2);
  WarmStart warm;
  const std::vector<double> messages(graph->total_messages(), 0.25);
  WriteMessages(messages, &warm);
  BranchAndBoundPlan plan;
  double first = 0, higher = 0;  // in units of the first limit
  for (int call = 0; call < 2000; ++call) {
    CAPTURE(call);
    const Index doublings = plan.next_doublings();
    (doublings == 0 ? first : higher) += static_cast<double>(Index{1} << doublings);
    plan.Record(false);
    plan.Write(*graph, &warm);
    const BranchAndBoundPlan read = BranchAndBoundPlan::Read(*graph, &warm);
    REQUIRE(read.doublings == plan.doublings);
    REQUIRE(read.arrived == plan.arrived);
    REQUIRE(read.rest == plan.rest);
  }
  CHECK(plan.doublings == MessageBranchAndBound::kMostDoublings);
  CHECK(higher <= 1.5 * first);
  CHECK(higher >= 0.5 * first);
  while (plan.next_doublings() == 0) plan.Record(false);
  plan.Record(true);
  for (int call = 0; call < 10; ++call) {
    CHECK(plan.next_doublings() == MessageBranchAndBound::kMostDoublings);
    plan.Record(true);
  }
  plan.Record(false);
  CHECK(plan.next_doublings() == 0);

  // Messages and plan are stored side by side without affecting each other; a plan is not read for
  // another graph.
  std::vector<double> read;
  plan.Write(*graph, &warm);
  WriteMessages(messages, &warm);
  CHECK(BranchAndBoundPlan::Read(*graph, &warm).rest == plan.rest);
  ReadMessages(*graph, &warm, &read);
  CHECK(read == messages);
  CHECK(BranchAndBoundPlan::Read(*Grid(3, 2, 2), &warm).doublings == 0);
  CHECK(BranchAndBoundPlan::Read(*graph, nullptr).doublings == 0);
  std::fill(warm.bytes.begin(), warm.bytes.end(), std::uint8_t{255});
  CHECK(BranchAndBoundPlan::Read(*graph, &warm).doublings == MessageBranchAndBound::kMostDoublings);
}

TEST_CASE("infinite scores and missing graphs are refused") {
  Random random(35);
  const GraphPtr graph = Grid(2, 2, 2);
  std::vector<double> scores = RandomScores(random, *graph, 1);
  scores[0] = -kInfinity;
  MapResult result;
  CHECK_THROWS_AS(MakeMessageBranchAndBoundSolver(graph)->Solve(scores, nullptr, &result),
                  std::invalid_argument);
  CHECK_THROWS_AS(MakeMessageBranchAndBoundSolver(nullptr), std::invalid_argument);
}
