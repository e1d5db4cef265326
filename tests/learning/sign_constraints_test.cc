// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/sign_constraints.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>

using namespace slackline::internal;

namespace {

using WeightTables = std::vector<std::vector<double>>;  // per weight: its table over K × K states

/// Two variables and one factor with these tables as features.
std::shared_ptr<const Structure> Pair(Index states, const WeightTables& tables,
                                      Index second_states = 0) {
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("unary", states);
  const Index block = layout->AddBlock("pair", static_cast<Index>(tables.size()));
  FactorGraphBuilder graph;
  graph.AddVariables(1, states);
  graph.AddVariables(1, second_states == 0 ? states : second_states);
  graph.AddFactor({0, 1});
  StructureBuilder builder(graph.Build(), layout);
  builder.AddConstant(0, 0, builder.AddStateMap(IdentityMap(states)));
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const Index map = builder.AddStateMap(
        {std::vector<Index>(tables[k].size(), 0), {tables[k].begin(), tables[k].end()}});
    builder.AddConstant(2, block, map, static_cast<Index>(k));
  }
  return builder.Build();
}

std::vector<double> SignsOf(const std::shared_ptr<const Structure>& structure) {
  Dataset data(structure->shared_layout(), nullptr);
  data.Add(structure, std::vector<Index>(2, 0), 0);
  const SignConstraints signs = AssociativeSigns(data);
  const Offset first = structure->layout().block(1).offset;
  std::vector<double> list(structure->layout().block(1).size(), 0.0);
  for (const SignConstraints::Entry& entry : signs.entries()) {
    CHECK(entry.at >= first);
    list[entry.at - first] = entry.sign;
  }
  return list;
}

/// Whether the scores of a pair satisfy the inequality of alpha_expansion.h.
bool IsAssociative(Index states, const std::vector<double>& theta) {
  const auto at = [&](Index a, Index b) { return theta[a * states + b]; };
  for (Index alpha = 0; alpha < states; ++alpha) {
    for (Index a = 0; a < states; ++a) {
      for (Index b = 0; b < states; ++b) {
        if (at(a, b) + at(alpha, alpha) < at(a, alpha) + at(alpha, b) - 1e-12) return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("signs of the usual pairs") {
  const std::vector<double> differ = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  const std::vector<double> agree = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<double> both_first = {1, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> distance = {0, 1, 2, 1, 0, 1, 2, 1, 0};
  const std::vector<double> own_first = {1, 1, 1, 0, 0, 0, 0, 0, 0};  // a feature of one variable
  const std::vector<double> square = {0, 1, 4, 1, 0, 1, 4, 1, 0};     // no metric
  CHECK(SignsOf(Pair(3, {differ, agree, both_first, distance, own_first})) ==
        std::vector<double>{-1, 1, 1, -1, 0});
  CHECK_FALSE(HasAssociativeSigns(*Pair(3, {differ, square})));
  // One entry of a table with three states has no sign; with two states each has.
  CHECK_FALSE(HasAssociativeSigns(*Pair(3, {{0, 1, 0, 0, 0, 0, 0, 0, 0}})));
  CHECK(SignsOf(Pair(2, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}})) ==
        std::vector<double>{1, -1, -1, 1});
  CHECK(SignsOf(Pair(1, {{1}})) == std::vector<double>{0});
}

TEST_CASE("any weights with these signs are associative, and some others are not") {
  Random random(1);
  int constrained = 0;
  int free_breaks = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Index states = 2 + static_cast<Index>(random.Below(3));
    WeightTables tables;
    for (Index k = 0; k < 3; ++k) {
      tables.emplace_back();
      const auto kind = random.Below(3);
      for (Index a = 0; a < states; ++a) {
        for (Index b = 0; b < states; ++b) {
          const double value = kind == 0   ? (a == b ? 0 : 0.5)
                               : kind == 1 ? (a == b && a == k % states ? 2 : 0)
                                           : static_cast<double>(random.Below(2));
          tables.back().push_back(value);
        }
      }
    }
    const auto structure = Pair(states, tables);
    if (!HasAssociativeSigns(*structure)) continue;
    const std::vector<double> signs = SignsOf(structure);
    for (int draw = 0; draw < 10; ++draw) {
      std::vector<double> theta(states * states, 0.0);
      std::vector<double> against = theta;
      for (std::size_t k = 0; k < tables.size(); ++k) {
        const double w = random.Normal();
        const double signed_w = signs[k] == 0 ? w : signs[k] * std::abs(w);
        for (std::size_t s = 0; s < theta.size(); ++s) {
          theta[s] += signed_w * tables[k][s];
          against[s] -= signed_w * tables[k][s];
        }
        constrained += signs[k] != 0;
      }
      CHECK(IsAssociative(states, theta));
      free_breaks += !IsAssociative(states, against);
    }
  }
  CHECK(constrained > 1000);
  CHECK(free_breaks > 300);
}

TEST_CASE("structures that have no signs") {
  const std::vector<double> six = {0, 1, 1, 1, 0, 1};
  CHECK_FALSE(HasAssociativeSigns(*Pair(2, {six}, 3)));
  // Features of pairs that depend on inputs.
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("pair", 4, 3);
  ModelBuilder builder(layout);
  builder.AddVariable(2);
  builder.AddVariable(2);
  builder.AddFactorLinearFeatures(builder.AddFactor({0, 1}), block, 0);
  CHECK_FALSE(HasAssociativeSigns(*builder.Build()));
  // Factors over three variables.
  auto scalars = std::make_shared<WeightLayout>();
  ModelBuilder triple(scalars);
  for (int i = 0; i < 3; ++i) triple.AddVariable(2);
  triple.AddFactor({0, 1, 2});
  CHECK_FALSE(HasAssociativeSigns(*triple.Build()));
}

TEST_CASE("structures that need different signs of one weight") {
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("pair", 1);
  const auto with = [&](std::vector<double> table) {
    FactorGraphBuilder graph;
    graph.AddVariables(2, 2);
    graph.AddFactor({0, 1});
    StructureBuilder builder(graph.Build(), layout);
    builder.AddConstant(2, block, builder.AddStateMap({{0, 0, 0, 0}, std::move(table)}));
    return builder.Build();
  };
  Dataset data(layout, nullptr);
  data.Add(with({1, 0, 0, 1}), std::vector<Index>{0, 1}, 0);
  CHECK(AssociativeSigns(data).entries()[0].sign == 1);
  data.Add(with({0, 1, 1, 0}), std::vector<Index>{0, 1}, 0);
  CHECK_THROWS_WITH_AS(AssociativeSigns(data),
                       "no sign of weight 0 of \"pair\" makes all pairs associative: some pairs "
                       "need one that is not negative, and others one that is not positive",
                       DataError);
}

TEST_CASE("constraints clip") {
  const SignConstraints signs({{2, 1}, {3, -1}, {7, 1}});
  std::vector<double> w = {-1, -1, -1, -1, -1, -1, -1, 1, -1};
  signs.Clip(w);
  CHECK(w == std::vector<double>{-1, -1, 0, -1, -1, -1, -1, 1, -1});
  CHECK(signs.FirstViolation(w) == nullptr);
  w[3] = 1e-300;
  CHECK(signs.FirstViolation(w)->at == 3);
  CHECK(signs.Find(1) == -1);
  CHECK(signs.Find(2) == 0);
  CHECK(signs.Find(5) == -1);
  CHECK(signs.Find(7) == 2);
  CHECK(signs.Find(8) == -1);
  CHECK(signs.ClipAt(3, 5) == 0);
  CHECK(signs.ClipAt(3, -5) == -5);
  CHECK(signs.ClipAt(4, 5) == 5);
  CHECK(SignConstraints().empty());
  CHECK(SignConstraints().Find(0) == -1);
  CHECK_THROWS_AS(SignConstraints({{2, 1}, {2, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(SignConstraints({{2, 0.5}}), std::invalid_argument);
}
