// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_weights.h>

#include <doctest/doctest.h>

using namespace slackline::internal;

TEST_CASE("features of edges by name, with the constant") {
  MatchingModel model(FeatureDictionary::FromText("near\nfar\nlong\n", "test"), {1, 1});
  model.set_weights({0.5, -2, 0, 0.25});
  const WeightSummary summary = SummariseWeights(model, {});
  REQUIRE(summary.labels.size() == 1);
  const LabelWeights& edge = summary.labels[0];
  CHECK(edge.label.empty());
  REQUIRE(edge.constants.size() == 1);
  CHECK(edge.constants[0].weight == 0.25);
  REQUIRE(edge.features.positive.size() == 1);
  CHECK(edge.features.positive[0].name == "near");
  REQUIRE(edge.features.negative.size() == 1);
  CHECK(edge.features.negative[0].name == "far");
  CHECK(edge.features.negative[0].weight == -2);
  CHECK(summary.pairs.empty());
}

TEST_CASE("a model without features has its constant") {
  MatchingModel model(FeatureDictionary(), {1, 1});
  model.set_weights({3});
  const WeightSummary summary = SummariseWeights(model, {});
  CHECK(summary.labels[0].constants[0].weight == 3);
  CHECK(summary.labels[0].features.positive.empty());
}
