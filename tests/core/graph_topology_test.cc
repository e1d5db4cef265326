// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/graph_topology.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/random.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using slackline::internal::test::kExact;
using slackline::internal::test::Near;

namespace {

using Scopes = std::vector<std::vector<Index>>;

std::shared_ptr<const FactorGraph> Graph(Index variables, const Scopes& scopes) {
  FactorGraphBuilder builder;
  builder.AddVariables(variables, 2);
  for (const std::vector<Index>& scope : scopes) builder.AddFactor(scope);
  return builder.Build();
}

std::vector<Index> Neighbours(const FactorGraph& graph, Index part) {
  std::vector<Index> result;
  if (part < graph.num_variables()) {
    for (const Incidence& incidence : graph.factors_of(part))
      result.push_back(graph.num_variables() + incidence.factor);
  } else {
    const auto scope = graph.scope(part - graph.num_variables());
    result.assign(scope.begin(), scope.end());
  }
  return result;
}

/// Checks every property that the header states for an elimination order.
void CheckElimination(const FactorGraph& graph) {
  const std::vector<EliminationStep> steps = ForestElimination(graph);
  REQUIRE(std::ssize(steps) == graph.num_parts());
  std::vector<Index> time(steps.size(), -1);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    REQUIRE(time[steps[k].part] == -1);
    time[steps[k].part] = static_cast<Index>(k);
  }
  Index roots = 0;
  for (const EliminationStep& step : steps) {
    const Index now = time[step.part];
    if (step.parent < 0) {
      ++roots;
      CHECK(step.part < graph.num_variables());
    }
    for (const Index other : Neighbours(graph, step.part)) {
      CHECK((time[other] < now) == (other != step.parent));
    }
  }
  CHECK(roots == ConnectedComponents(graph).count);
}

struct TreeChoice {
  std::size_t edges = 0;
  double weight = 0;
};

/// The best spanning forest, by enumerating all subsets of the edges.
TreeChoice BestForest(Index nodes, const std::vector<WeightedEdge>& edges) {
  TreeChoice best;
  for (std::size_t subset = 0; subset < std::size_t{1} << edges.size(); ++subset) {
    std::vector<Index> root(nodes);
    std::iota(root.begin(), root.end(), 0);
    TreeChoice choice;
    bool forest = true;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if ((subset >> e & 1) == 0) continue;
      const Index a = root[edges[e].a];
      const Index b = root[edges[e].b];
      forest = forest && a != b;
      std::replace(root.begin(), root.end(), a, b);
      ++choice.edges;
      choice.weight += edges[e].weight;
    }
    if (!forest) continue;
    const bool first = subset == 0;
    if (first || choice.edges > best.edges ||
        (choice.edges == best.edges && choice.weight > best.weight))
      best = choice;
  }
  return best;
}

}  // namespace

TEST_CASE("components are numbered by their first variables") {
  const Components components = ConnectedComponents(*Graph(6, {{5, 1}, {0}, {4, 2, 0}}));
  CHECK(components.count == 3);
  CHECK(components.component == std::vector<Index>{0, 1, 0, 2, 0, 1});
}

TEST_CASE("components of no variable, one variable, and one variable with unary factors") {
  const auto none = Graph(0, {});
  CHECK(ConnectedComponents(*none).count == 0);
  CHECK(ConnectedComponents(*none).component.empty());
  CHECK(IsForest(*none));
  CheckElimination(*none);
  const auto one = Graph(1, {});
  CHECK(ConnectedComponents(*one).count == 1);
  CHECK(IsForest(*one));
  CheckElimination(*one);
  const auto unary = Graph(1, {{0}, {0}});
  CHECK(IsForest(*unary));
  CheckElimination(*unary);
}

TEST_CASE("forests are distinguished from graphs with cycles") {
  CHECK(IsForest(*Graph(4, {{0, 1}, {1, 2}, {2, 3}})));
  CHECK(IsForest(*Graph(5, {{0, 1, 2}, {2, 3}, {4}})));
  CHECK_FALSE(IsForest(*Graph(3, {{0, 1}, {1, 2}, {2, 0}})));
  CHECK_FALSE(IsForest(*Graph(5, {{3, 4}, {0, 1}, {1, 2}, {2, 0}})));
  // Two factors that share two variables.
  CHECK_FALSE(IsForest(*Graph(2, {{0, 1}, {1, 0}})));
  CHECK_FALSE(IsForest(*Graph(4, {{0, 1, 2}, {1, 2, 3}})));
}

TEST_CASE("an elimination order of a graph with a cycle is refused") {
  CHECK_THROWS_AS(ForestElimination(*Graph(2, {{0, 1}, {0, 1}})), std::invalid_argument);
}

TEST_CASE("elimination orders of random forests finish every part before its parent") {
  Random random(9);
  for (int trial = 0; trial < 40; ++trial) {
    const auto n = static_cast<Index>(1 + random.Below(12));
    Scopes scopes;
    std::vector<Index> names(n);
    std::iota(names.begin(), names.end(), 0);
    random.Shuffle(std::span<Index>(names));
    // Each group of new variables is attached to one earlier variable or to none.
    for (std::size_t next = 1; next < names.size();) {
      const std::size_t size = std::min(names.size() - next, 1 + random.Below(3));
      std::vector<Index> scope(names.begin() + static_cast<std::ptrdiff_t>(next),
                               names.begin() + static_cast<std::ptrdiff_t>(next + size));
      if (random.Below(4) != 0) scope.push_back(names[random.Below(next)]);
      random.Shuffle(std::span<Index>(scope));
      scopes.push_back(scope);
      next += size;
    }
    for (int unary = 0; unary < 3; ++unary)
      scopes.push_back({static_cast<Index>(random.Below(static_cast<std::uint64_t>(n)))});
    const auto graph = Graph(n, scopes);
    REQUIRE(IsForest(*graph));
    CheckElimination(*graph);
  }
}

TEST_CASE("long chains do not exhaust the stack") {
  FactorGraphBuilder builder;
  builder.AddVariables(200000, 2);
  for (Index i = 1; i < 200000; ++i) builder.AddFactor({i - 1, i});
  const auto graph = builder.Build();
  CHECK(IsForest(*graph));
  CHECK(ForestElimination(*graph).size() == 399999);
}

TEST_CASE("maximum spanning forests agree with trying all subsets of edges") {
  Random random(10);
  for (int trial = 0; trial < 60; ++trial) {
    const auto n = static_cast<Index>(2 + random.Below(4));
    std::vector<WeightedEdge> edges;
    for (Index a = 0; a < n; ++a) {
      for (Index b = a + 1; b < n; ++b) {
        // Few different weights, some of them negative: many ties.
        if (random.Below(3) != 0)
          edges.push_back({a, b, static_cast<double>(random.Below(4)) - 1.5});
      }
    }
    const std::vector<WeightedEdge> forest = MaximumSpanningForest(n, edges);
    const TreeChoice best = BestForest(n, edges);
    CHECK(forest.size() == best.edges);
    double weight = 0;
    for (const WeightedEdge& edge : forest) weight += edge.weight;
    CHECK(Near(weight, best.weight, kExact));
    for (std::size_t e = 1; e < forest.size(); ++e) {
      CHECK(std::make_pair(forest[e - 1].a, forest[e - 1].b) <
            std::make_pair(forest[e].a, forest[e].b));
    }
  }
}

TEST_CASE("ties between spanning forests fall to the earlier edges") {
  const std::vector<WeightedEdge> edges{{1, 2, 1.0}, {0, 2, 1.0}, {0, 1, 1.0}};
  std::vector<WeightedEdge> forest = MaximumSpanningForest(3, edges);
  REQUIRE(forest.size() == 2);
  CHECK((forest[0].a == 0 && forest[0].b == 2));
  CHECK((forest[1].a == 1 && forest[1].b == 2));
  const std::vector<WeightedEdge> reversed(edges.rbegin(), edges.rend());
  forest = MaximumSpanningForest(3, reversed);
  REQUIRE(forest.size() == 2);
  CHECK((forest[0].a == 0 && forest[0].b == 1));
  CHECK((forest[1].a == 0 && forest[1].b == 2));
}

TEST_CASE(
    "spanning forests of graphs without nodes or edges are empty, and unknown nodes refused") {
  CHECK(MaximumSpanningForest(0, {}).empty());
  CHECK(MaximumSpanningForest(3, {}).empty());
  CHECK_THROWS_AS(MaximumSpanningForest(2, std::vector<WeightedEdge>{{0, 2, 1.0}}),
                  std::invalid_argument);
}
