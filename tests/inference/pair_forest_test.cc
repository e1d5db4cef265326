// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/pair_forest.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/tree_dp.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A random forest of n variables with equal cardinalities, scopes in either order.
GraphPtr PairsForest(Random& random, Index n, Index states) {
  FactorGraphBuilder builder;
  builder.AddVariables(n, states);
  for (Index i = 1; i < n; ++i) {
    if (random.Below(6) == 0) continue;
    const auto parent = static_cast<Index>(random.Below(static_cast<std::uint64_t>(i)));
    if (random.Below(2) == 0) {
      builder.AddFactor({i, parent});
    } else {
      builder.AddFactor({parent, i});
    }
  }
  return builder.Build();
}

/// Flat scores in which factors with the same table number have the same table; every third table
/// is Potts, of either sign.
std::vector<double> SharedScores(Random& random, const FactorGraph& graph,
                                 const std::vector<Index>& table_of, bool ties) {
  const auto draw = [&] {
    return ties ? static_cast<double>(random.Below(3)) - 1 : random.Normal();
  };
  std::vector<double> scores(graph.total_states());
  for (Offset s = 0; s < graph.variable_states(); ++s) scores[s] = draw();
  std::vector<std::vector<double>> tables;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::size_t number = table_of[c];
    if (number == tables.size()) {
      std::vector<double> table(graph.factor_states(c));
      for (double& score : table) score = draw();
      const Index states = graph.cardinality(0);
      const double equal = draw();
      const double other = draw();
      for (std::size_t joint = 0; number % 3 == 0 && joint < table.size(); ++joint)
        table[joint] = joint % (states + 1) == 0 ? equal : other;
      tables.push_back(std::move(table));
    }
    std::copy(tables[number].begin(), tables[number].end(),
              scores.begin() + graph.factor_offset(c));
  }
  return scores;
}

double Solve(PairForest& forest, const FactorGraph& graph, const std::vector<Index>& table_of,
             const std::vector<double>& scores, std::vector<Index>* labels) {
  std::copy_n(scores.begin(), graph.variable_states(), forest.variable_scores().begin());
  for (Index c = 0; c < graph.num_factors(); ++c) {
    forest.SetTable(table_of[c],
                    std::span(scores).subspan(graph.factor_offset(c), graph.factor_states(c)));
  }
  labels->resize(graph.num_variables());
  return forest.Maximise(*labels);
}

std::vector<Index> Numbers(Random& random, const FactorGraph& graph) {
  std::vector<Index> table_of;
  Index used = 0;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const auto number =
        static_cast<Index>(random.Below(static_cast<std::uint64_t>(std::min(used, 3) + 1)));
    table_of.push_back(std::min(number, used));
    used = std::max(used, table_of.back() + 1);
  }
  return table_of;
}

}  // namespace

TEST_CASE("labellings agree with dynamic programming, values with brute force and GLPK") {
  Random random(31);
  for (int number = 0; number < 200; ++number) {
    const GraphPtr graph = PairsForest(random, number % 7, 1 + number % 4);
    const std::vector<Index> table_of = Numbers(random, *graph);
    const std::vector<double> scores = SharedScores(random, *graph, table_of, number % 2 == 0);
    PairForest forest(graph, table_of);
    std::vector<Index> labels;
    const double value = Solve(forest, *graph, table_of, scores, &labels);
    CAPTURE(number);
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    CHECK(Near(value, best.value, kExact));
    CHECK(Near(test::LabellingScore(*graph, scores, labels), value, kExact));
    const MapResult tree = Solved(TreeSolver(graph), scores);
    CHECK(labels == tree.labels);
    if (!HasGlpk() || number % 5 != 0) continue;
    const MapResult lp = Solved(*MakeGlpkSolver(graph, GlpkFormulation::kGeneral), scores);
    CHECK(Near(value, lp.value, kTight));
  }
}

TEST_CASE("large stars and chains with Potts and general tables agree with dynamic programming") {
  Random random(32);
  for (const Index states : {5, 6, 21, 26}) {
    for (int number = 0; number < 6; ++number) {
      const GraphPtr graph =
          number % 2 == 0 ? PairsForest(random, 60, states) : Grid(1, 70, states);
      const std::vector<Index> table_of = Numbers(random, *graph);
      const std::vector<double> scores = SharedScores(random, *graph, table_of, number > 3);
      PairForest forest(graph, table_of);
      std::vector<Index> labels;
      const double value = Solve(forest, *graph, table_of, scores, &labels);
      const MapResult tree = Solved(TreeSolver(graph), scores);
      CHECK(Near(value, tree.value, kExact));
      CHECK(labels == tree.labels);
    }
  }
}

TEST_CASE("forbidden transitions are never taken") {
  // The states 0 … 4 must not decrease along the chain, though decreasing states have large scores.
  const GraphPtr graph = Grid(1, 6, 5);
  std::vector<double> table;
  for (Index a = 0; a < 5; ++a) {
    for (Index b = 0; b < 5; ++b) table.push_back(b < a ? -kInfinity : 0);
  }
  PairForest forest(graph, std::vector<Index>(5, 0));
  for (Index i = 0; i < 6; ++i) {
    for (Index s = 0; s < 5; ++s) forest.variable_scores()[i * 5 + s] = s == 5 - i ? 1 : 0;
  }
  forest.SetTable(0, table);
  std::vector<Index> labels(6);
  CHECK(forest.Maximise(labels) == 1);
  CHECK(std::is_sorted(labels.begin(), labels.end()));
}

TEST_CASE("graphs with cycles, triples or tables of other shapes are refused") {
  CHECK_FALSE(PairForest::Fits(*Cycle(3, 2)));
  FactorGraphBuilder triple;
  triple.AddVariables(3, 2);
  triple.AddFactor({0, 1, 2});
  CHECK_FALSE(PairForest::Fits(*triple.Build()));
  CHECK_THROWS_AS(PairForest(Cycle(3, 2), std::vector<Index>(3, 0)), std::invalid_argument);
  FactorGraphBuilder unequal;
  unequal.AddVariable(2);
  unequal.AddVariable(3);
  unequal.AddVariable(3);
  unequal.AddFactor({0, 1});
  unequal.AddFactor({1, 2});
  const GraphPtr graph = unequal.Build();
  CHECK(PairForest::Fits(*graph));
  CHECK_THROWS_AS(PairForest(graph, std::vector<Index>{0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(PairForest(graph, std::vector<Index>{1, 0}), std::invalid_argument);
  PairForest forest(graph, std::vector<Index>{0, 1});
  std::vector<Index> labels(2);
  CHECK_THROWS_AS(forest.Maximise(labels), std::invalid_argument);
}
