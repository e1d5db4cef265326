// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/message_passing.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <slackline/inference/brute_force.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/tree_dp.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE(
    "bounds hold, labellings have their values, and on nearly all small graphs the bound is that "
    "of the LP") {
  Random random(91);
  int loose = 0;
  for (int number = 0; number < 480; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    const MapResult result = Solved(
        *MakeMessagePassingSolver(graph, {.max_iterations = 1000, .tolerance = 1e-9}), scores);
    CAPTURE(number);
    CHECK(result.integral);
    CHECK(Near(test::LabellingScore(*graph, scores, result.labels), result.value, kExact));
    CHECK(result.value <= best.value + kTight);
    CHECK(result.upper_bound >= best.value - kTight);
    if (result.exact) CHECK(Near(result.value, best.value, kSolver));
    if (!HasGlpk()) continue;
    const MapResult lp = Solved(*MakeGlpkSolver(graph, GlpkFormulation::kGeneral), scores);
    CHECK(result.upper_bound >= lp.value - kTight * std::max(1.0, std::abs(lp.value)));
    loose += !Near(result.upper_bound, lp.value, 1e-6);
  }
  CHECK(loose <= 10);
}

TEST_CASE("forests are solved, with factors of any order, and chains by one iteration") {
  Random random(92);
  for (int number = 0; number < 60; ++number) {
    const GraphPtr graph = RandomForest(random, number % 12, 1 + number % 5);
    const std::vector<double> scores = SmallScores(random, *graph, number);
    const MapResult best = Solved(TreeSolver(graph), scores);
    const MapResult result =
        Solved(*MakeMessagePassingSolver(graph, {.max_iterations = 50}), scores);
    CHECK(Near(result.upper_bound, best.value, kTight));
    CHECK(Near(result.value, best.value, kTight));
  }
  const GraphPtr chain = Grid(1, 40, 4);
  const std::vector<double> scores = RandomScores(random, *chain, 1);
  const MapResult best = Solved(TreeSolver(chain), scores);
  const MapResult result = Solved(*MakeMessagePassingSolver(chain, {.max_iterations = 1}), scores);
  CHECK(Near(result.upper_bound, best.value, kTight));
}

TEST_CASE("the bound never rises, and a warm start continues from the end of the last call") {
  Random random(93);
  const GraphPtr graph = Grid(8, 8, 5);
  const std::vector<double> scores = RandomScores(random, *graph, 1);
  MessagePassing passing(graph);
  passing.SetScores(scores);
  std::vector<double> messages(graph->total_messages(), 0.0);
  double last = DualBound(*graph, scores, messages);
  for (int iteration = 0; iteration < 40; ++iteration) {
    const double returned = passing.Iterate(messages);
    const double bound = DualBound(*graph, scores, messages);
    CHECK(bound <= last + kTight);
    CHECK(Near(returned, bound, kTight));
    last = bound;
  }
  const auto few = MakeMessagePassingSolver(graph, {.max_iterations = 5, .tolerance = 0});
  WarmStart warm;
  const MapResult first = Solved(*few, scores, &warm);
  const MapResult second = Solved(*few, scores, &warm);
  CHECK(second.upper_bound <= first.upper_bound + kTight);
  const MapResult ten =
      Solved(*MakeMessagePassingSolver(graph, {.max_iterations = 10, .tolerance = 0}), scores);
  CHECK(Near(second.upper_bound, ten.upper_bound, kTight));
  CHECK(few->work() > 0);
}

TEST_CASE("bounds for any messages on any graph agree with the plain formula") {
  Random random(94);
  for (int number = 0; number < 60; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number);
    MessagePassing passing(graph);
    passing.SetScores(scores);
    std::vector<double> messages = Normals(random, graph->total_messages());
    CAPTURE(number);
    CHECK(Near(passing.Bound(messages), DualBound(*graph, scores, messages), kTight));
    const double bound = passing.Iterate(messages);
    CHECK(Near(bound, DualBound(*graph, scores, messages), kTight));
    std::vector<Index> labels(graph->num_variables());
    passing.Decode(messages, labels);
    CHECK(test::LabellingScore(*graph, scores, labels) <= bound + kTight);
  }
}

TEST_CASE("tables of any width and shared tables are supported") {
  Random random(95);
  for (const Index states : {1, 2, 3, 4, 5, 8, 15, 16, 17, 21, 33}) {
    const GraphPtr graph = Grid(3, 4, states);
    std::vector<double> scores = RandomScores(random, *graph, 1);
    const Offset size = states * states;
    // Factors with even numbers have the table of factor 0, those with odd numbers that of factor
    // 1.
    std::vector<Index> table_of;
    for (Index c = 0; c < graph->num_factors(); ++c) {
      table_of.push_back(c % 2);
      std::copy_n(scores.begin() + graph->factor_offset(c % 2), size,
                  scores.begin() + graph->factor_offset(c));
    }
    MessagePassing own(graph);
    own.SetScores(scores);
    MessagePassing shared(graph, table_of);
    REQUIRE(shared.num_tables() == 2);
    std::copy_n(scores.begin(), graph->factor_offset(0), shared.variable_scores().begin());
    for (Index t = 0; t < 2; ++t)
      shared.SetTable(t, std::span<const double>(scores).subspan(graph->factor_offset(t), size));
    std::vector<double> first(graph->total_messages(), 0.0);
    std::vector<double> second(first);
    std::vector<Index> labels(graph->num_variables());
    for (int iteration = 0; iteration < 3; ++iteration) {
      const double bound = own.Iterate(first);
      CHECK(bound == shared.Iterate(second));
      CHECK(Near(bound, DualBound(*graph, scores, first), kTight));
      CHECK(first == second);
      shared.Decode(second, labels);
      CHECK(test::LabellingScore(*graph, scores, labels) <= bound + kTight);
      std::vector<Index> same(labels.size());
      own.Decode(first, same);
      CHECK(labels == same);
    }
    CHECK_THROWS_AS(shared.SetScores(scores), std::invalid_argument);
  }
  const GraphPtr grid = Grid(2, 2, 3);
  const std::vector<Index> gap = {0, 2, 1, 1};
  CHECK_THROWS_AS(MessagePassing(grid, gap), std::invalid_argument);
}

TEST_CASE("scores that are not finite are refused") {
  const GraphPtr graph = Cycle(3, 3);
  std::vector<double> scores(graph->total_states(), 0.0);
  scores[2] = std::numeric_limits<double>::infinity();
  MapResult result;
  CHECK_THROWS_AS(MakeMessagePassingSolver(graph)->Solve(scores, nullptr, &result),
                  std::invalid_argument);
}

TEST_CASE("stored messages that are not finite are discarded") {
  const GraphPtr graph = Cycle(3, 3);
  std::vector<double> messages(graph->total_messages(), 0.5);
  std::vector<double> read;
  WarmStart warm;
  WriteMessages(messages, &warm);
  ReadMessages(*graph, &warm, &read);
  CHECK(read == messages);
  messages.back() = std::numeric_limits<double>::quiet_NaN();
  WriteMessages(messages, &warm);
  ReadMessages(*graph, &warm, &read);
  CHECK(read == std::vector<double>(messages.size(), 0.0));
}

TEST_CASE(
    "the score is that of the tables, and improvements never lower it and end where no single "
    "change gains") {
  Random random(41);
  for (int number = 0; number < 240; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    MessagePassing passing(graph);
    passing.SetScores(scores);
    std::vector<Index> labels;
    for (const Index states : graph->cardinalities())
      labels.push_back(static_cast<Index>(random.Below(static_cast<std::uint64_t>(states))));
    const double before = test::LabellingScore(*graph, scores, labels);
    CAPTURE(number);
    CHECK(Near(passing.Score(labels), before, kExact));
    passing.Improve(labels);
    const double after = test::LabellingScore(*graph, scores, labels);
    CHECK(after >= before - kExact * std::max(1.0, std::abs(before)));
    for (Index i = 0; i < graph->num_variables(); ++i) {
      std::vector<Index> other = labels;
      for (Index s = 0; s < graph->cardinality(i); ++s) {
        other[i] = s;
        CHECK(test::LabellingScore(*graph, scores, other) <=
              after + kExact * std::max(1.0, std::abs(after)));
      }
    }
  }
}
