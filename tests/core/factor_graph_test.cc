// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/factor_graph.h>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/random.h>
#include <tests/core/messages.h>

using namespace slackline::internal;
using slackline::internal::test::Contains;
using slackline::internal::test::Refusal;

TEST_CASE("the builder refuses bad variables and factors and says why") {
  FactorGraphBuilder builder;
  CHECK(Contains(Refusal([&] { builder.AddVariable(0); }),
                 "a variable needs at least one state, not 0"));
  CHECK(Contains(Refusal([&] { builder.AddVariables(-1, 2); }),
                 "the number of variables must not be negative"));
  builder.AddVariables(3, 2);
  CHECK(Contains(Refusal([&] { builder.AddFactor({}); }), "a factor needs at least one variable"));
  CHECK(Contains(Refusal([&] { builder.AddFactor({0, 3}); }), "factor over unknown variable 3"));
  CHECK(Contains(Refusal([&] { builder.AddFactor({-1}); }), "factor over unknown variable -1"));
  CHECK(Contains(Refusal([&] {
                   builder.AddFactor({1, 0, 1});
                 }),
                 "variable 1 occurs twice in one factor"));
  CHECK(builder.num_variables() == 3);
  CHECK(builder.num_factors() == 0);
}

TEST_CASE("tables of 2^26 states are allowed and larger ones are not") {
  FactorGraphBuilder builder;
  builder.AddVariables(26, 2);
  const Index huge = builder.AddVariables(3, 1 << 30);
  std::vector<Index> scope;
  for (Index i = 0; i < 26; ++i) scope.push_back(i);
  CHECK(builder.AddFactor(scope) == 0);
  CHECK(builder.Build()->factor_states(0) == 1 << 26);
  scope.push_back(builder.AddVariable(2));
  CHECK(Contains(Refusal([&] { builder.AddFactor(scope); }), "more than 2^26 joint states"));
  CHECK(Contains(Refusal([&] {
                   builder.AddFactor({huge, huge + 1, huge + 2});
                 }),
                 "more than 2^26 joint states"));
}

TEST_CASE("graphs without variables or without factors are valid") {
  const auto empty = FactorGraphBuilder().Build();
  CHECK(empty->num_variables() == 0);
  CHECK(empty->num_factors() == 0);
  CHECK(empty->num_parts() == 0);
  CHECK(empty->num_edges() == 0);
  CHECK(empty->total_states() == 0);
  CHECK(empty->total_messages() == 0);
  FactorGraphBuilder builder;
  CHECK(builder.AddVariables(0, 3) == 0);
  CHECK(builder.AddVariable(3) == 0);
  const auto one = builder.Build();
  CHECK(one->num_parts() == 1);
  CHECK(one->total_states() == 3);
  CHECK(one->factors_of(0).empty());
}

TEST_CASE("offsets of states and messages lie one after the other") {
  FactorGraphBuilder builder;
  builder.AddVariable(2);
  builder.AddVariables(2, 3);
  builder.AddVariable(1);
  CHECK(builder.AddFactor({2, 0}) == 0);
  CHECK(builder.AddFactor({1}) == 1);
  CHECK(builder.AddFactor({3, 1, 0}) == 2);
  const auto graph = builder.Build();
  CHECK(graph->num_edges() == 6);
  CHECK(graph->num_parts() == 7);
  const std::vector<Offset> states{0, 2, 5, 8, 9, 15, 18};
  const std::vector<Index> counts{2, 3, 3, 1, 6, 3, 6};
  for (Index a = 0; a < 7; ++a) {
    CHECK(graph->state_offset(a) == states[a]);
    CHECK(graph->num_states(a) == counts[a]);
  }
  CHECK(graph->factor_offset(2) == 18);
  CHECK(graph->factor_states(2) == 6);
  CHECK(graph->variable_states() == 9);
  CHECK(graph->total_states() == 24);
  CHECK(graph->edge(0, 1) == 1);
  CHECK(graph->edge(2, 0) == 3);
  const std::vector<Offset> messages{0, 3, 5, 8, 9, 12};
  for (Index e = 0; e < 6; ++e) CHECK(graph->message_offset(e) == messages[e]);
  CHECK(graph->total_messages() == 14);
}

TEST_CASE("scopes and incidences are consistent") {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    FactorGraphBuilder builder;
    builder.AddVariables(1 + static_cast<Index>(random.Below(6)), 2);
    const Index n = builder.num_variables();
    std::vector<std::vector<Index>> scopes(random.Below(8));
    std::vector<Index> order(n);
    for (Index i = 0; i < n; ++i) order[i] = i;
    for (auto& scope : scopes) {
      random.Shuffle(std::span<Index>(order));
      scope.assign(order.begin(),
                   order.begin() + 1 + static_cast<std::ptrdiff_t>(random.Below(order.size())));
      builder.AddFactor(scope);
    }
    const auto graph = builder.Build();
    REQUIRE(graph->num_factors() == static_cast<Index>(scopes.size()));
    std::size_t incidences = 0;
    for (Index c = 0; c < graph->num_factors(); ++c) {
      const auto scope = graph->scope(c);
      CHECK(std::vector<Index>(scope.begin(), scope.end()) == scopes[c]);
    }
    for (Index i = 0; i < n; ++i) {
      Index last = -1;
      for (const Incidence& incidence : graph->factors_of(i)) {
        CHECK(incidence.factor > last);
        last = incidence.factor;
        CHECK(graph->scope(incidence.factor)[incidence.position] == i);
        ++incidences;
      }
    }
    CHECK(incidences == Size(graph->num_edges()));
  }
}

TEST_CASE("joint states count with the last variable of the scope fastest") {
  FactorGraphBuilder builder;
  builder.AddVariable(2);
  builder.AddVariable(3);
  builder.AddVariable(4);
  builder.AddFactor({2, 0, 1});
  const auto graph = builder.Build();
  std::vector<Index> states(3);
  Index joint = 0;
  for (Index z = 0; z < 4; ++z) {
    for (Index x = 0; x < 2; ++x) {
      for (Index y = 0; y < 3; ++y, ++joint) {
        CHECK(JointState(*graph, 0, std::vector<Index>{x, y, z}) == joint);
        JointToStates(*graph, 0, joint, states);
        CHECK(states == std::vector<Index>{z, x, y});
      }
    }
  }
}

TEST_CASE("the builder can continue after a graph was built") {
  FactorGraphBuilder builder;
  builder.AddVariables(2, 2);
  builder.AddFactor({0, 1});
  const auto first = builder.Build();
  builder.AddVariable(5);
  builder.AddFactor({2});
  const auto second = builder.Build();
  CHECK(first->num_variables() == 2);
  CHECK(first->num_factors() == 1);
  CHECK(second->num_variables() == 3);
  CHECK(second->factor_states(1) == 5);
}
