// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/loss.h>

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <tests/core/messages.h>

#include "tests/support/losses.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Labels = std::vector<Index>;
using Losses = std::vector<double>;

/// A chain of `states.size()` variables with a pair factor between neighbours, one input, and one
/// potential per state of each factor.
struct Chain {
  explicit Chain(const std::vector<Index>& states) {
    FactorGraphBuilder graph;
    for (const Index k : states) graph.AddVariable(k);
    for (Index i = 1; i < static_cast<Index>(states.size()); ++i) graph.AddFactor({i - 1, i});
    auto blocks = std::make_shared<WeightLayout>();
    blocks->AddBlock("x", 3, 2);
    blocks->AddBlock("p", 1);
    layout = blocks;
    StructureBuilder builder(graph.Build(), layout);
    for (Index i = 0; i < static_cast<Index>(states.size()); ++i) {
      StateMap map;
      for (Index s = 0; s < states[i]; ++s) map.rows.push_back(s);
      builder.AddLinear(i, 0, 0, builder.AddStateMap(map));
    }
    const auto n = static_cast<Index>(states.size());
    for (Index c = 0; c + 1 < n; ++c) {
      const std::size_t k = states[c] * states[c + 1];
      builder.AddPotential(n + c, 1, num_potentials,
                           builder.AddStateMap({std::vector<Index>(k, 0), {}}));
      num_potentials += static_cast<Index>(k);
    }
    structure = builder.Build();
    auto features = std::make_shared<FeatureRows>();
    features->AddDense(std::vector<double>{1, 2});
    features->AddDense(std::vector<double>{3, 4});
    rows = features;
  }
  Dataset Data(const std::vector<Labels>& examples) const {
    Dataset data(layout, rows);
    std::vector<double> potentials(num_potentials);
    for (std::size_t k = 0; k < potentials.size(); ++k) potentials[k] = static_cast<double>(k) + 1;
    for (const Labels& labels : examples) data.Add(structure, labels, data.size() % 2, potentials);
    return data;
  }
  std::shared_ptr<const WeightLayout> layout;
  std::shared_ptr<const Structure> structure;
  std::shared_ptr<const FeatureRows> rows;
  Index num_potentials = 0;
};

Losses LossOf(const TrainingSet& set, Index m) { return {set.loss(m).begin(), set.loss(m).end()}; }

std::string Refusal(const Dataset& data, const LossOptions& options) {
  return MessageOf<std::invalid_argument>([&] { MakeTrainingSet(data, options); });
}

}  // namespace

TEST_CASE("count Hamming is 1 for every wrong state, mean Hamming divides by the variables") {
  const Chain chain({2, 3});
  const Dataset data = chain.Data({{1, 0}, {0, 2}});
  const TrainingSet count = MakeTrainingSet(data, LossWith(LossScale::kCount));
  REQUIRE(count.data.size() == 2);
  CHECK(LossOf(count, 0) == Losses{1, 0, 0, 1, 1});
  CHECK(LossOf(count, 1) == Losses{0, 1, 1, 1, 0});
  const TrainingSet mean = MakeTrainingSet(data, LossOptions{});
  CHECK(LossOf(mean, 0) == Losses{0.5, 0, 0, 0.5, 0.5});
  CHECK(mean.skipped_examples == 0);
  CHECK(mean.skipped_variables == 0);
  CHECK(mean.data.structures().size() == 1);
  CHECK(mean.data.structures()[0] == chain.structure);
  CHECK(mean.data.first_input(1) == 1);
}

TEST_CASE("variables may have weights; the mean still divides by their number") {
  const Chain chain({2, 2});
  LossOptions options = LossWith(LossScale::kCount);
  options.variable_weights = {3, 0};
  const Dataset data = chain.Data({{0, 0}});
  CHECK(LossOf(MakeTrainingSet(data, options), 0) == Losses{0, 3, 0, 0});
  options.scale = LossScale::kMean;
  CHECK(LossOf(MakeTrainingSet(data, options), 0) == Losses{0, 1.5, 0, 0});
}

TEST_CASE("costs depend on the given and on the predicted state") {
  const Chain chain({3, 3});
  LossOptions options = LossWith(LossScale::kCount);
  options.costs = {0, 1, 2, 3, 0, 4, 5, 6, 0};
  const Dataset data = chain.Data({{0, 1}, {2, 2}});
  const TrainingSet set = MakeTrainingSet(data, options);
  CHECK(LossOf(set, 0) == Losses{0, 1, 2, 3, 0, 4});
  CHECK(LossOf(set, 1) == Losses{5, 6, 0, 5, 6, 0});
  options.variable_weights = {10, 1};
  CHECK(LossOf(MakeTrainingSet(data, options), 0) == Losses{0, 10, 20, 3, 0, 4});
}

TEST_CASE(
    "unlabelled variables are left out with their factors, and the mean divides by the labelled "
    "ones") {
  const Chain chain({2, 3, 2, 2});
  LossOptions weighted;
  weighted.variable_weights = {1, 2, 3, 4};
  const TrainingSet set = MakeTrainingSet(chain.Data({{1, kUnlabelled, 0, 1}}), weighted);
  REQUIRE(set.data.size() == 1);
  CHECK(set.skipped_variables == 1);
  CHECK(set.skipped_examples == 0);
  const ExampleView example = set.data.example(0);
  CHECK(Labels(example.labels().begin(), example.labels().end()) == Labels{1, 0, 1});
  CHECK(example.graph().num_variables() == 3);
  REQUIRE(example.graph().num_factors() == 1);
  CHECK(example.graph().scope(0)[0] == 1);
  CHECK(example.graph().scope(0)[1] == 2);
  // The weights of the remaining variables 0, 2 and 3.
  CHECK(LossOf(set, 0) == Losses{1.0 / 3, 0, 0, 3.0 / 3, 4.0 / 3, 0});
  // The remaining factor reads its own potentials: the last four of 6 + 6 + 4.
  std::vector<double> scores(example.graph().total_states());
  std::vector<double> weights(chain.layout->size(), 0.0);
  weights.back() = 1;
  ScoreTables(example, weights, scores);
  CHECK(Losses(scores.begin() + 6, scores.end()) == Losses{13, 14, 15, 16});
}

TEST_CASE("examples without any labelled variable are skipped and counted") {
  const Chain chain({2, 2});
  const TrainingSet set = MakeTrainingSet(
      chain.Data(
          {{kUnlabelled, kUnlabelled}, {1, kUnlabelled}, {kUnlabelled, kUnlabelled}, {0, 1}}),
      LossOptions{});
  CHECK(set.skipped_examples == 2);
  CHECK(set.skipped_variables == 1);
  REQUIRE(set.data.size() == 2);
  CHECK(LossOf(set, 0) == Losses{1, 0});
  CHECK(LossOf(set, 1) == Losses{0, 0.5, 0.5, 0});
  CHECK(set.data.first_input(0) == 1);  // the first input of the original example
  CHECK(set.data.example(0).input(0).values[0] == 3);
}

TEST_CASE("examples that lack the same variables share one structure") {
  const Chain chain({2, 2, 2});
  const TrainingSet set = MakeTrainingSet(
      chain.Data(
          {{0, kUnlabelled, 1}, {1, 1, 1}, {1, kUnlabelled, 0}, {kUnlabelled, 0, 0}, {0, 0, 0}}),
      LossOptions{});
  CHECK(set.data.structures().size() == 3);
  CHECK(set.data.structure_of(0) == set.data.structure_of(2));
  CHECK(set.data.structure_of(1) == set.data.structure_of(4));
  CHECK(set.data.structure_of(0) != set.data.structure_of(3));
}

TEST_CASE("loss options that do not fit are refused") {
  const Chain chain({2, 2});
  const Dataset data = chain.Data({{0, 0}});
  LossOptions options;
  options.variable_weights = {1, -1};
  CHECK(Contains(Refusal(data, options), "a loss weight must be finite and not negative"));
  options.variable_weights = {1, std::numeric_limits<double>::quiet_NaN()};
  CHECK(Contains(Refusal(data, options), "a loss weight must be finite and not negative"));
  options.variable_weights = {1};
  CHECK(Contains(Refusal(data, options), "there are fewer loss weights than variables"));
  options = LossOptions{};
  options.costs = {0, 1, 1};
  CHECK(Contains(Refusal(data, options), "the cost matrix of the loss must be square"));
  options.costs = {0, 1, -1, 0};
  CHECK(Contains(Refusal(data, options), "a cost must be finite and not negative"));
  options.costs = {0, 1, 1, 0.5};
  CHECK(Contains(Refusal(data, options), "the cost of the given label itself must be zero"));
  options.costs = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  CHECK(Contains(Refusal(data, options), "the cost matrix does not fit a variable with 2 states"));
}

TEST_CASE("data sets refuse examples that do not fit their structure") {
  const Chain chain({2, 2});
  Dataset data(chain.layout, chain.rows);
  const std::vector<double> potentials(4, 1.0);
  const auto refusal = [&](const Labels& labels, Index first_input,
                           const std::vector<double>& values) {
    return MessageOf<std::invalid_argument>(
        [&] { data.Add(chain.structure, labels, first_input, values); });
  };
  CHECK(Contains(refusal({0}, 0, potentials), "one label per variable (2), not 1"));
  CHECK(Contains(refusal({0, 2}, 0, potentials), "label 2 of variable 1 is out of range"));
  CHECK(Contains(refusal({0, -2}, 0, potentials), "label -2 of variable 1 is out of range"));
  CHECK(Contains(refusal({0, 0}, 2, potentials),
                 "the inputs of an example are not among the feature rows"));
  CHECK(Contains(refusal({0, 0}, -1, potentials),
                 "the inputs of an example are not among the feature rows"));
  CHECK(Contains(refusal({0, 0}, 0, {1.0}), "an example needs 4 potentials, not 1"));
  CHECK(Contains(refusal({0, 0}, 0, {1, 1, 1, kInfinity}), "a potential is not a finite number"));
  auto wide = std::make_shared<FeatureRows>();
  wide->AddDense(std::vector<double>{1});
  wide->AddSparse(std::vector<Index>{2}, std::vector<double>{1});
  wide->AddSparse({}, {});
  Dataset other(chain.layout, wide);
  const auto input_refusal = [&](Index input) {
    return MessageOf<std::invalid_argument>([&] {
      other.Add(chain.structure, Labels{0, 0}, input, potentials);
    });
  };
  CHECK(Contains(input_refusal(0),
                 "an input of dimension 1 does not fit weight block 'x' with 2 columns"));
  CHECK(Contains(input_refusal(1),
                 "an input of dimension 3 does not fit weight block 'x' with 2 columns"));
  CHECK(other.Add(chain.structure, Labels{0, 0}, 2, potentials) ==
        0);  // a sparse input may be empty
  const Chain stranger({2, 2});
  CHECK(Contains(MessageOf<std::invalid_argument>([&] {
                   data.Add(stranger.structure, Labels{0, 0}, 0, potentials);
                 }),
                 "the structure belongs to another weight layout"));
  CHECK(data.size() == 0);
}

TEST_CASE(
    "given labels that are forbidden are refused; states of unlabelled variables are not checked") {
  FactorGraphBuilder graph;
  graph.AddVariables(3, 2);
  graph.AddFactor({0, 1});
  graph.AddFactor({1, 2});
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("w", 1);
  StructureBuilder builder(graph.Build(), layout);
  for (const Index part : {3, 4}) builder.ForbidStates(part, {false, false, true, false});
  builder.ForbidStates(2, {true, false});
  const auto structure = builder.Build();
  const auto training = [&](const std::vector<Labels>& examples) {
    Dataset data(layout, nullptr);
    for (const Labels& labels : examples) data.Add(structure, labels);
    return MakeTrainingSet(data, {});
  };
  const auto refusal = [&](const Labels& labels) {
    return MessageOf<std::invalid_argument>([&] { training({{0, 0, 1}, labels}); });
  };
  CHECK(Contains(refusal({1, 0, 1}),
                 "the given labels of example 1 are forbidden by the states of factor 0"));
  CHECK(Contains(refusal({0, 0, 0}),
                 "the given labels of example 1 are forbidden by the states of variable 2"));
  // Messages number examples and variables as in the data set, also where variables are dropped.
  CHECK(Contains(refusal({kUnlabelled, 0, 0}), "forbidden by the states of variable 2"));
  const TrainingSet partly = training({{1, kUnlabelled, 1}, {kUnlabelled, 0, 1}});
  CHECK(partly.data.example(0).structure().has_forbidden_states());
  CHECK(HasForbiddenStates(partly.data));
  CHECK(partly.data.example(1).structure().forbidden_states(2).size() == 1);
}
