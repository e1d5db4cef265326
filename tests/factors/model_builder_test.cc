// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/model_builder.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>

#include "tests/support/factor_scores.h"
#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

struct Layout {
  std::shared_ptr<WeightLayout> weights = std::make_shared<WeightLayout>();
  Index linear = weights->AddBlock("linear", 3, 2);
  Index scalar = weights->AddBlock("scalar", 20);
};

// Counts how often its features are requested. Only with == can the builder recognise equal
// factors.
template <bool kComparable>
class CountingFactor {
 public:
  explicit CountingFactor(int* calls) : calls_(calls) {}
  std::span<const Index> cardinalities() const { return cardinalities_; }
  Index num_weights() const { return 1; }
  void AddFeatures(std::span<const Index> states, double scale, std::span<double> out) const {
    ++*calls_;
    out[0] += scale * (states[0] + states[1]);
  }
  bool operator==(const CountingFactor& other) const requires kComparable {
    return calls_ == other.calls_;
  }

 private:
  std::array<Index, 2> cardinalities_ = {2, 2};
  int* calls_;
};

// The score tables of all parts by ScoreTables, as one flat vector.
std::vector<double> FlatScores(const std::shared_ptr<const Structure>& structure,
                               const std::shared_ptr<const FeatureRows>& rows,
                               const std::vector<double>& weights,
                               const std::vector<double>& potentials = {}) {
  Dataset data(structure->shared_layout(), rows);
  data.Add(structure, std::vector<Index>(structure->graph().num_variables(), 0), 0, potentials);
  std::vector<double> scores(structure->graph().total_states());
  ScoreTables(data.example(0), weights, scores);
  return scores;
}

std::vector<double> RandomWeights(Random& random, const WeightLayout& layout) {
  std::vector<double> weights(layout.size());
  for (double& w : weights) w = random.Normal();
  return weights;
}

// Checks that a structure gives factor c the scores that the factor object computes from its local
// weights.
template <Factor F>
void CheckFactorScores(const F& factor) {
  Random random(6);
  Layout layout;
  ModelBuilder builder(layout.weights);
  std::vector<Index> scope;
  for (const Index states : factor.cardinalities()) scope.push_back(builder.AddVariable(states));
  constexpr Index kBase = 4;
  const Index c = builder.AddFactor(scope, factor, layout.scalar, kBase);
  const std::shared_ptr<const Structure> structure = builder.Build();
  const std::vector<double> weights = RandomWeights(random, *layout.weights);
  const std::vector<double> scores = FlatScores(structure, nullptr, weights);
  std::vector<double> expected(structure->graph().factor_states(c));
  const Offset first = layout.weights->block(layout.scalar).at(kBase, 0);
  ScoreTable(factor, std::span<const double>(weights).subspan(first, factor.num_weights()),
             expected);
  for (std::size_t s = 0; s < expected.size(); ++s) {
    CHECK(Near(scores[structure->graph().factor_offset(c) + s], expected[s], kExact));
  }
}

TEST_CASE("a structure and the factor objects give the same scores") {
  CheckFactorScores(PottsFactor(3));
  CheckFactorScores(TableFactor({2, 3}));
  CheckFactorScores(TableFactor({4}, 2, {{1, kAbsent, 1, 0}, {}}));
  CheckFactorScores(TableFactor({2, 2, 2}));
  CheckFactorScores(TableFactor::FromFunction(
      {2, 3}, 3, [](std::span<const Index> y, std::span<double> features) {
        features[0] = y[0];
        features[1] = y[1] - 1;
        features[2] = 0.5;
      }));
}

TEST_CASE("variables read inputs, potentials and unary factors") {
  Layout layout;
  ModelBuilder builder(layout.weights);
  const Index a = builder.AddVariable(3);
  const Index b = builder.AddVariable(2);
  builder.AddLinearFeatures(a, layout.linear, 1);
  builder.AddLinearFeatures(b, layout.linear, 0, std::array<Index, 2>{kAbsent, 0}, 2);
  builder.AddPotentials(b, layout.scalar, 0, std::array<Index, 2>{7, 7});
  builder.AddVariableFeatures(a, TableFactor({3}), layout.scalar, 10);
  const auto structure = builder.Build();
  CHECK(structure->num_inputs() == 2);
  CHECK(structure->num_potentials() == 2);
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::array{1.0, 10.0});
  rows->AddDense(std::array{2.0, 20.0});
  std::vector<double> weights(layout.weights->size(), 0.0);
  const WeightBlock& linear = layout.weights->block(layout.linear);
  const WeightBlock& scalar = layout.weights->block(layout.scalar);
  weights[linear.at(1, 0)] = 1;
  weights[linear.at(2, 1)] = 0.1;
  weights[scalar.at(7, 0)] = -1;
  weights[scalar.at(12, 0)] = 100;
  const std::vector<double> scores = FlatScores(structure, rows, weights, {5, 6});
  // Variable a: rows 0, 1, 2 of input (2, 20), bias on state 2. Variable b: row 2 of input (1, 10)
  // on state 1, potentials on both.
  const std::vector<double> expected = {0, 2, 102, -5, -5};
  REQUIRE(scores.size() == expected.size());
  for (std::size_t k = 0; k < scores.size(); ++k) CHECK(Near(scores[k], expected[k], kExact));
}

TEST_CASE("factors read inputs and potentials besides the features of their type") {
  Layout layout;
  ModelBuilder builder(layout.weights);
  builder.AddVariable(2);
  builder.AddVariable(2);
  const Index c = builder.AddFactor({0, 1}, builder.Register(PottsFactor(2)), layout.scalar, 1);
  builder.AddFactorLinearFeatures(c, layout.linear, 0,
                                  std::array<Index, 4>{0, kAbsent, kAbsent, 1});
  builder.AddFactorPotentials(c, layout.scalar, 0, std::array<Index, 4>{0, 0, 0, 0});
  const auto structure = builder.Build();
  CHECK(structure->terms(2).size() == 3);
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::array{1.0, 0.0});
  std::vector<double> weights(layout.weights->size(), 0.0);
  const WeightBlock& scalar = layout.weights->block(layout.scalar);
  weights[layout.weights->block(layout.linear).at(1, 0)] = 1;
  weights[scalar.at(0, 0)] = 1;
  weights[scalar.at(1, 0)] = 1000;
  const std::vector<double> scores = FlatScores(structure, rows, weights, {10, 20, 30, 40});
  CHECK(std::vector<double>(scores.begin() + 4, scores.end()) ==
        std::vector<double>{10, 1020, 1030, 41});
}

TEST_CASE("one factor type on many edges is tabulated once and shares one map") {
  Layout layout;
  int calls = 0;
  ModelBuilder builder(layout.weights);
  for (int i = 0; i < 1001; ++i) builder.AddVariable(2);
  const CountingFactor<true> comparable(&calls);
  for (Index i = 0; i < 1000; ++i) builder.AddFactor({i, i + 1}, comparable, layout.scalar);
  CHECK(calls == 4);
  for (Index i = 0; i < 1000; ++i) builder.AddFactor({i, i + 1}, PottsFactor(2), layout.scalar);
  const FactorType type = builder.Register(CountingFactor<false>(&calls));
  CHECK(calls == 8);
  for (Index i = 0; i < 1000; ++i) builder.AddFactor({i, i + 1}, type, layout.scalar, 1);
  CHECK(calls == 8);
  const auto structure = builder.Build();
  const Index n = structure->graph().num_variables();
  CHECK(structure->graph().num_factors() == 3000);
  CHECK(structure->terms(n)[0].map == structure->terms(n + 999)[0].map);
  CHECK(structure->terms(n)[0].map == structure->terms(n + 2000)[0].map);
  CHECK(structure->terms(n + 2000)[0].base == 1);
  CHECK(structure->terms(n)[0].map != structure->terms(n + 1000)[0].map);
}

TEST_CASE("temporary factors of one type but different content are distinguished") {
  Layout layout;
  ModelBuilder builder(layout.weights);
  builder.AddVariable(2);
  for (const Index row : {0, 1}) {
    builder.AddVariableFeatures(0, TableFactor({2}, 2, {{row, kAbsent}, {}}), layout.scalar);
  }
  const auto structure = builder.Build();
  REQUIRE(structure->terms(0).size() == 2);
  CHECK(structure->terms(0)[0].map != structure->terms(0)[1].map);
  CHECK(builder.Register(PottsFactor(2)).number != builder.Register(PottsFactor(3)).number);
  CHECK(builder.Register(PottsFactor(2)).number == builder.Register(PottsFactor(2)).number);
}

TEST_CASE("a builder can continue after a structure was built, and parts keep their meaning") {
  Layout layout;
  ModelBuilder builder(layout.weights);
  builder.AddVariable(2);
  builder.AddVariable(2);
  builder.AddFactor({0, 1}, PottsFactor(2), layout.scalar);
  const auto first = builder.Build();
  builder.AddVariable(3);
  builder.AddFactor({2}, TableFactor({3}), layout.scalar, 1);
  const auto second = builder.Build();
  CHECK(first->graph().num_parts() == 3);
  CHECK(second->graph().num_parts() == 5);
  CHECK(second->terms(2).empty());
  CHECK(second->terms(3).size() == 1);
  CHECK(second->map(second->terms(4)[0].map).rows.size() == 3);
}

TEST_CASE("a model without variables is valid") {
  const auto structure = ModelBuilder(std::make_shared<WeightLayout>()).Build();
  CHECK(structure->graph().num_parts() == 0);
  CHECK(structure->num_coordinates() == 0);
}

TEST_CASE("arguments out of range are refused, and leave the builder as it was") {
  Layout layout;
  CHECK_THROWS_AS(ModelBuilder(nullptr), std::invalid_argument);
  ModelBuilder builder(layout.weights);
  builder.AddVariable(2);
  builder.AddVariable(3);
  const FactorType potts = builder.Register(PottsFactor(2));
  CHECK_THROWS_AS(builder.AddVariable(0), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(2, layout.linear, 0), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(0, 9, 0), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(0, layout.linear, -1), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(0, layout.linear, 0, {}, 2), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(0, layout.linear, 0, {}, -1), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(0, layout.linear, 0, std::array<Index, 2>{0, 3}),
                  std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(0, layout.linear, 0, std::array<Index, 2>{0, -2}),
                  std::invalid_argument);
  CHECK_THROWS_AS(builder.AddLinearFeatures(0, layout.linear, 0, std::array<Index, 1>{0}),
                  std::invalid_argument);
  CHECK_THROWS_AS(builder.AddPotentials(0, layout.linear, 0), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddPotentials(0, layout.scalar, -1), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddVariableFeatures(1, TableFactor({2}), layout.scalar),
                  std::invalid_argument);
  CHECK_THROWS_AS(builder.AddVariableFeatures(0, potts, layout.scalar), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddFactor({0, 1}, potts, layout.scalar), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddFactor({0}, potts, layout.scalar), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddFactor({0, 0}, potts, layout.scalar), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddFactor({0, 5}, potts, layout.scalar), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddFactor({0}, FactorType{7}, layout.scalar), std::invalid_argument);
  CHECK(builder.num_factors() == 0);
  CHECK_THROWS_AS(builder.AddFactor({0, 1}, TableFactor({2, 3}), layout.scalar, 15),
                  std::invalid_argument);
  CHECK_THROWS_AS(builder.AddFactor({0, 1}, TableFactor({2, 3}), layout.linear),
                  std::invalid_argument);
  CHECK(builder.num_factors() == 0);
  CHECK(builder.Build()->terms(0).empty());
}

TEST_CASE("states of variables and factors may be forbidden") {
  const Layout layout;
  ModelBuilder builder(layout.weights);
  builder.AddVariable(3);
  builder.ForbidStates(0, {false, true, false});
  builder.AddVariable(2);
  const Index factor = builder.AddFactor({0, 1}, TableFactor({3, 2}), layout.scalar);
  builder.ForbidFactorStates(factor, {true, false, false, false, false, true});
  const std::shared_ptr<const Structure> structure = builder.Build();
  std::vector<double> weights(layout.weights->size(), 1.0);
  CHECK(FlatScores(structure, nullptr, weights) ==
        std::vector<double>{0, -kInfinity, 0, 0, 0, -kInfinity, 1, 1, 1, 1, -kInfinity});
  CHECK_THROWS_AS(builder.ForbidStates(2, {true, false}), std::invalid_argument);
  CHECK_THROWS_AS(builder.ForbidStates(1, {true}), std::invalid_argument);
  CHECK_THROWS_AS(builder.ForbidStates(1, {true, true}), std::invalid_argument);
  CHECK_THROWS_AS(builder.ForbidFactorStates(1, {true, false}), std::invalid_argument);
  CHECK_THROWS_AS(builder.ForbidFactorStates(0, {true, false}), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
