// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/rounding.h>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/brute_force.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("rounding takes the largest marginal, ties the lowest state") {
  FactorGraphBuilder builder;
  builder.AddVariable(2);
  builder.AddVariable(3);
  builder.AddVariable(1);
  const GraphPtr graph = builder.Build();
  std::vector<Index> labels(3, -7);
  RoundMarginals(*graph, std::vector<double>{0.5, 0.5, 0.2, 0.4, 0.4, 1.0}, labels);
  CHECK(labels == std::vector<Index>{0, 1, 0});
}

TEST_CASE("the two ways to sum a labelling's scores agree") {
  Random random(31);
  for (int number = 0; number < 48; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    std::vector<Index> labels;
    for (const Index states : graph->cardinalities())
      labels.push_back(static_cast<Index>(random.Below(states)));
    CHECK(Near(slackline::internal::LabellingScore(*graph, scores, labels),
               test::LabellingScore(*graph, scores, labels), kExact));
  }
}

TEST_CASE("local improvement never loses, ends in a local optimum and stays below the maximum") {
  Random random(32);
  for (int number = 0; number < 240; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    std::vector<Index> labels;
    for (const Index states : graph->cardinalities())
      labels.push_back(static_cast<Index>(random.Below(states)));
    const double before = test::LabellingScore(*graph, scores, labels);
    const double after = ImproveLabelling(*graph, scores, labels);
    CAPTURE(number);
    CHECK(after >= before);
    CHECK(Near(after, test::LabellingScore(*graph, scores, labels), kExact));
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    CHECK(after <= best.value + kExact * std::max(1.0, std::abs(best.value)));
    for (Index i = 0; i < graph->num_variables(); ++i) {
      for (Index s = 0; s < graph->cardinality(i); ++s) {
        std::vector<Index> changed = labels;
        changed[i] = s;
        CHECK(test::LabellingScore(*graph, scores, changed) <= after + kTight);
      }
    }
    std::vector<Index> again = labels;
    CHECK(ImproveLabelling(*graph, scores, again) == after);
    CHECK(again == labels);
  }
}

TEST_CASE("pairs are changed together where single changes lose") {
  const GraphPtr graph = FullBinary(2);
  std::vector<double> scores(8, 0.0);
  scores[4 + 0] = 1;
  scores[4 + 3] = 2;
  std::vector<Index> labels{0, 0};
  CHECK(ImproveLabelling(*graph, scores, labels, {.max_joint_states = 0}) == 1);
  CHECK(ImproveLabelling(*graph, scores, labels) == 2);
  CHECK(labels == std::vector<Index>{1, 1});
}
