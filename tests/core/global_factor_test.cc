// SPDX-License-Identifier: BSD-3-Clause
//
// Global factors in graphs, structures, builders and training sets.
#include <slackline/core/global_factor.h>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/loss.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>
#include <slackline/inference/binary_pairs.h>

using namespace slackline::internal;

namespace {

struct CountModel {
  std::shared_ptr<WeightLayout> layout = std::make_shared<WeightLayout>();
  Index pair = layout->AddBlock("pair", 4);
  Index count = layout->AddBlock("count", 10);
  Index wide = layout->AddBlock("wide", 4, 2);
  ModelBuilder builder{layout};

  CountModel() {
    for (int i = 0; i < 4; ++i) builder.AddVariable(2);
    builder.AddFactor({0, 1}, TableFactor({2, 2}), pair);
  }
};

}  // namespace

TEST_CASE("global factors have their own numbers") {
  CountModel model;
  const std::vector<Index> scope{3, 1, 0};
  CHECK(model.builder.AddGlobalFactor(scope, std::make_shared<CardinalityFactor>(3), model.count,
                                      2) == 0);
  CHECK(model.builder.AddGlobalFactor(
            std::vector<Index>{2, 3},
            std::make_shared<CardinalityFactor>(CardinalityFactor::AtMostOne(2))) == 1);
  const auto structure = model.builder.Build();
  const FactorGraph& graph = structure->graph();
  CHECK(graph.num_parts() == 5);
  CHECK(graph.num_factors() == 1);
  CHECK(graph.num_global_factors() == 2);
  CHECK(graph.num_blocks() == 7);
  CHECK(std::vector<Index>(graph.global_scope(0).begin(), graph.global_scope(0).end()) == scope);
  CHECK(graph.total_states() == 12);
  CHECK(graph.num_edges() == 2);
  CHECK_FALSE(IsForest(graph));
  CHECK_FALSE(IsBinaryPairwise(graph));
  CHECK(structure->globals()[0].block == model.count);
  CHECK(structure->globals()[1].block == -1);

  // Features of a labelling: the pair's joint state, and the count at its row.
  Dataset data(model.layout, nullptr);
  const std::vector<Index> labels{1, 0, 0, 1};
  data.Add(structure, labels);
  std::vector<double> q(structure->num_coordinates(), 0.0);
  AddLabellingFeatures(data.example(0), labels, 2, q);
  std::vector<double> weights(model.layout->size(), 0.0);
  ScatterFeatures(data.example(0), q, 1, weights);
  std::vector<double> expected(weights.size(), 0.0);
  expected[2] = 2;
  expected[4 + 2 + 2] = 2;  // two of the three variables are 1
  CHECK(weights == expected);
}

TEST_CASE("global factors that do not fit their variables or weights are refused") {
  CountModel model;
  const auto count = std::make_shared<CardinalityFactor>(2);
  const auto add = [&](std::vector<Index> scope, std::shared_ptr<const GlobalFactor> factor,
                       Index block,
                       Index base) { model.builder.AddGlobalFactor(scope, factor, block, base); };
  CHECK_THROWS_WITH_AS(add({0, 1, 2}, count, model.count, 0),
                       doctest::Contains("does not fit a scope of 3"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(add({0, 0}, count, model.count, 0), doctest::Contains("occurs twice"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(add({0, 4}, count, model.count, 0), doctest::Contains("unknown variable 4"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(add({0, 1}, count, model.count, 8), doctest::Contains("reads past the rows"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(add({0, 1}, count, model.wide, 0), doctest::Contains("one column"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(add({0, 1}, count, -1, 0), doctest::Contains("unknown weight block"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(add({0, 1}, nullptr, model.count, 0), doctest::Contains("needs an object"),
                       std::invalid_argument);
  const auto chain = std::make_shared<TreeFactor>(TreeFactor::Chain(2, TableFactor({3, 3})));
  CHECK_THROWS_WITH_AS(add({0, 1}, chain, model.count, 0), doctest::Contains("3 states on axis 0"),
                       std::invalid_argument);
  CHECK(model.builder.num_global_factors() == 0);
  FactorGraphBuilder graph;
  graph.AddVariables(2, 2);
  graph.AddGlobalFactor(std::vector<Index>{0, 1});
  CHECK_THROWS_WITH_AS(StructureBuilder(graph.Build(), model.layout).Build(),
                       doctest::Contains("was not set"), std::invalid_argument);
}

TEST_CASE("unlabelled variables are dropped with their global factors") {
  CountModel model;
  model.builder.AddGlobalFactor(std::vector<Index>{3, 2}, std::make_shared<CardinalityFactor>(2),
                                model.count, 5);
  model.builder.AddGlobalFactor(std::vector<Index>{0, 1, 2}, std::make_shared<CardinalityFactor>(3),
                                model.count);
  Dataset data(model.layout, nullptr);
  data.Add(model.builder.Build(), std::vector<Index>{1, kUnlabelled, 0, 1});
  const TrainingSet training = MakeTrainingSet(data, LossOptions());
  const Structure& rest = training.data.example(0).structure();
  REQUIRE(rest.graph().num_global_factors() == 1);
  CHECK(rest.graph().global_scope(0)[0] == 2);
  CHECK(rest.graph().global_scope(0)[1] == 1);
  CHECK(rest.globals()[0].base == 5);
  CHECK(rest.globals()[0].factor->num_weights() == 3);
}

TEST_CASE("ground truths with forbidden states are refused") {
  CountModel model;
  model.builder.AddGlobalFactor(std::vector<Index>{0, 1, 2}, std::make_shared<CardinalityFactor>(
                                                                 CardinalityFactor::ExactlyOne(3)));
  Dataset data(model.layout, nullptr);
  data.Add(model.builder.Build(), std::vector<Index>{1, 0, 0, 1});
  CHECK(MakeTrainingSet(data, LossOptions()).data.size() == 1);
  data.Add(data.structures()[0], std::vector<Index>{1, 0, 1, 1});
  CHECK_THROWS_WITH_AS(
      MakeTrainingSet(data, LossOptions()),
      doctest::Contains("global factor 'cardinality' forbids the given labels of example 1"),
      std::invalid_argument);
}

TEST_CASE("probes are allowed joint states, and the squared range is found") {
  const CardinalityFactor one = CardinalityFactor::ExactlyOne(6);
  const auto probes = ProbeStates(one, 12);
  CHECK(probes.size() > 1);
  for (const auto& states : probes) CHECK(one.Allows(states));
  CHECK(one.SquaredRange() == 0);
  CHECK(CardinalityFactor(6).SquaredRange() == 2);
  // All four edges in one joint state, against all four in another: 16 + 16.
  CHECK(TreeFactor::Chain(5, TableFactor({2, 2})).SquaredRange() == 32);
}
