// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/global_decoder.h>

#include <algorithm>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>

#include "tests/support/global_problems.h"
#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<double> RandomWeights(Random& random, const Dataset& data, double scale) {
  std::vector<double> weights(data.layout().size());
  for (double& value : weights) value = scale * random.Normal();
  return weights;
}

GlobalProblemOptions Family(int number) {
  GlobalProblemOptions options{.num_variables = 5};
  if (number % 4 == 1) options.copies = 2;
  if (number % 4 == 2) {
    options.cardinality = false;
    options.chain = true;
    options.copies = 2;
    options.states = 3;
  }
  if (number % 4 == 3) options.exactly_one = true;
  return options;
}

}  // namespace

TEST_CASE("the best score lies between decoded labellings and bounds") {
  Random random(1);
  int exact = 0;
  int best = 0;
  int count = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const TrainingSet training =
        RandomGlobalProblem(static_cast<std::uint64_t>(trial), Family(trial));
    const std::vector<double> weights =
        RandomWeights(random, training.data, trial % 3 == 0 ? 0.3 : 2.0);
    for (Index m = 0; m < training.data.size(); ++m) {
      const ExampleView example = training.data.example(m);
      const auto structure = training.data.structures()[training.data.structure_of(m)];
      GlobalDecoder reference(structure);
      const MapResult all = Decoded(reference, example, weights);
      CHECK(all.exact);
      const GlobalDecodeOptions options{.enumerate = 0};
      GlobalDecoder decoder(structure, options);
      const MapResult found = Decoded(decoder, example, weights);
      CAPTURE(trial);
      CHECK(found.upper_bound >= all.value - kTight);
      CHECK(found.value <= all.value + kTight);
      std::vector<double> scores(example.graph().total_states());
      ScoreTables(example, weights, scores);
      CHECK(Near(found.value, decoder.Score(scores, weights, found.labels), kExact));
      CHECK((!found.exact || Near(found.value, all.value, kTight)));
      // The score of the labelling from its features.
      std::vector<double> q(example.structure().num_coordinates(), 0.0);
      std::vector<double> u(q.size());
      AddLabellingFeatures(example, found.labels, 1, q);
      CoordinateScores(example, weights, u);
      double score = 0;
      for (std::size_t k = 0; k < q.size(); ++k) score += u[k] * q[k];
      CHECK(Near(found.value, score, kTight));
      exact += found.exact;
      best += Near(found.value, all.value, kTight);
      ++count;
    }
  }
  // Not guaranteed, but dual decomposition and local search achieve it on such small models.
  CHECK(best >= count - 3);
  CHECK(exact >= count / 2);
}

TEST_CASE("a tree of tables and a chain is solved exactly") {
  Random random(2);
  for (int trial = 0; trial < 10; ++trial) {
    GlobalProblemOptions options{.num_examples = 1,
                                 .num_variables = 8,
                                 .states = 4,
                                 .num_pairs = 0,
                                 .cardinality = false,
                                 .chain = true,
                                 .scope = 8};
    const TrainingSet training = RandomGlobalProblem(static_cast<std::uint64_t>(trial), options);
    options.as_tables = true;
    const TrainingSet tables = RandomGlobalProblem(static_cast<std::uint64_t>(trial), options);
    const std::vector<double> weights = RandomWeights(random, training.data, 1);
    GlobalDecoder decoder(training.data.structures()[0]);
    const MapResult found = Decoded(decoder, training.data.example(0), weights);
    std::vector<double> scores(tables.data.example(0).graph().total_states());
    ScoreTables(tables.data.example(0), weights, scores);
    const MapResult exact = Solved(
        *MakeMapSolver(SolverKind::kTree, tables.data.structures()[0]->shared_graph()), scores);
    CHECK(Near(found.value, exact.value, kTight));
    CHECK(found.upper_bound >= exact.value - kTight);
  }
}

TEST_CASE("forbidden labellings are not predicted") {
  auto layout = std::make_shared<WeightLayout>();
  const Index pair = layout->AddBlock("pair", 4);
  ModelBuilder builder(layout);
  constexpr Index kVariables = 16;
  std::vector<Index> all;
  for (Index i = 0; i < kVariables; ++i) all.push_back(builder.AddVariable(2));
  for (Index i = 0; i + 1 < kVariables; ++i)
    builder.AddFactor({i, i + 1}, TableFactor({2, 2}), pair);
  builder.AddGlobalFactor(
      all, std::make_shared<CardinalityFactor>(CardinalityFactor::Between(kVariables, 3, 4)));
  const auto structure = builder.Build();
  GlobalDecoder decoder(structure);
  Random random(3);
  std::vector<double> scores(structure->graph().total_states());
  const std::vector<double> weights(4, 0.0);
  for (int trial = 0; trial < 20; ++trial) {
    for (double& score : scores) score = random.Normal();
    const MapResult found = Decoded(decoder, scores, weights);
    const auto ones = std::count(found.labels.begin(), found.labels.end(), 1);
    CHECK((ones == 3 || ones == 4));
    CHECK(found.value <= found.upper_bound);
    CHECK(found.upper_bound - found.value <= 0.1 * std::abs(found.value) + 1);
  }
  CHECK(decoder.num_decoded() == 20);
  CHECK(decoder.num_certified() <= 20);

  // With two contradicting factors no labelling is allowed.
  builder.AddGlobalFactor(
      all, std::make_shared<CardinalityFactor>(CardinalityFactor::Between(kVariables, 6, 9)));
  GlobalDecoder hopeless(builder.Build());
  const MapResult none = Decoded(hopeless, scores, weights);
  CHECK(none.value == -kInfinity);
  CHECK_FALSE(none.exact);
  CHECK(none.labels.size() == kVariables);
}
