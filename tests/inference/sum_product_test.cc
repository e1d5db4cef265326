// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/sum_product.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/tree_dp.h>

#include "tests/support/all_labellings.h"
#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Distribution {
  double log_partition = 0;
  std::vector<double> marginals;
};

/// The distribution by enumeration of all labellings, in long double.
Distribution Enumerate(const FactorGraph& graph, const std::vector<double>& scores,
                       double temperature) {
  const auto labellings = AllLabellings(graph.cardinalities());
  double best = -kInfinity;
  for (const auto& y : labellings) best = std::max(best, test::LabellingScore(graph, scores, y));
  long double total = 0;
  std::vector<long double> sums(graph.total_states(), 0.0L);
  for (const auto& y : labellings) {
    const long double p = std::exp(
        (static_cast<long double>(test::LabellingScore(graph, scores, y)) - best) / temperature);
    total += p;
    for (Index i = 0; i < graph.num_variables(); ++i) sums[graph.state_offset(i) + y[i]] += p;
    for (Index c = 0; c < graph.num_factors(); ++c)
      sums[graph.factor_offset(c) + JointState(graph, c, y)] += p;
  }
  Distribution result{best + temperature * static_cast<double>(std::log(total)), {}};
  for (const long double sum : sums) result.marginals.push_back(static_cast<double>(sum / total));
  return result;
}

/// Compares marginals and log-partition with enumeration. The tolerance of marginals is absolute,
/// since they are at most 1; the rounding of scores in sums is multiplied by 1/T.
void CheckAgainstEnumeration(const GraphPtr& graph, const std::vector<double>& scores,
                             double temperature) {
  const Distribution expected = Enumerate(*graph, scores, temperature);
  double largest = 1;
  for (const double score : scores) {
    if (score > -kInfinity) largest = std::max(largest, std::abs(score));
  }
  SumProduct solver(graph);
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<double> marginals(scores.size(), -1.0);
    const double value = solver.Marginals(scores, temperature, marginals);
    CAPTURE(temperature);
    CHECK(Near(value, expected.log_partition, kExact));
    CHECK(solver.LogPartition(scores, temperature) == value);
    const double tolerance = 1e-13 + 50 * kSummands * largest / temperature;
    for (std::size_t k = 0; k < marginals.size(); ++k) {
      CHECK(std::abs(marginals[k] - expected.marginals[k]) <= tolerance);
    }
  }
}

/// Checks that marginals are distributions which agree with each other: certificates rely on it.
void CheckConsistent(const FactorGraph& graph, const std::vector<double>& marginals) {
  for (Index a = 0; a < graph.num_parts(); ++a) {
    double sum = 0;
    for (Index s = 0; s < graph.num_states(a); ++s) {
      CHECK(marginals[graph.state_offset(a) + s] >= 0);
      sum += marginals[graph.state_offset(a) + s];
    }
    CHECK(std::abs(sum - 1) <= kPolytope);
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const auto scope = graph.scope(c);
    std::vector<Index> states(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k) {
      std::vector<double> sums(graph.cardinality(scope[k]), 0.0);
      for (Index joint = 0; joint < graph.factor_states(c); ++joint) {
        JointToStates(graph, c, joint, states);
        sums[states[k]] += marginals[graph.factor_offset(c) + joint];
      }
      for (std::size_t s = 0; s < sums.size(); ++s) {
        CHECK(std::abs(sums[s] - marginals[graph.state_offset(scope[k]) + s]) <= kPolytope);
      }
    }
  }
}

GraphPtr Chain(Index length, Index states) {
  FactorGraphBuilder builder;
  builder.AddVariables(length, states);
  for (Index i = 0; i + 1 < length; ++i) builder.AddFactor({i, i + 1});
  return builder.Build();
}

}  // namespace

TEST_CASE("sum-product agrees with enumeration") {
  Random random(1);
  for (int number = 0; number < 120; ++number) {
    const GraphPtr graph = RandomForest(random, number % 7, 1 + number % 4);
    CAPTURE(number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 7);
    for (const double temperature : {1.0, 0.1, 30.0})
      CheckAgainstEnumeration(graph, scores, temperature);
  }
}

TEST_CASE("factors of any order are supported, with scopes in any order") {
  Random random(2);
  for (int number = 0; number < 12; ++number) {
    FactorGraphBuilder builder;
    for (const Index states : {2, 3, 1, 2, 3, 2, 2}) builder.AddVariable(states);
    if (number % 2 == 0) {
      builder.AddFactor({4, 0, 2, 1});
      builder.AddFactor({3, 1, 5});
      builder.AddFactor({5});
      builder.AddFactor({6, 3});
    } else {
      builder.AddFactor({1, 4, 0, 3, 2});
      builder.AddFactor({6, 5, 1});
      builder.AddFactor({1});
    }
    const GraphPtr graph = builder.Build();
    CheckAgainstEnumeration(graph, RandomScores(random, *graph, 1 + number), 1.0);
  }
}

TEST_CASE("chains of every length are supported, empty ones included") {
  Random random(3);
  for (Index length = 0; length <= 6; ++length) {
    for (const Index states : {1, 2, 4, 5}) {
      if (length > 4 && states > 2) continue;
      const GraphPtr graph = Chain(length, states);
      CheckAgainstEnumeration(graph, RandomScores(random, *graph, 2.0), 0.7);
      CheckAgainstEnumeration(graph, RandomIntegerScores(random, *graph, 1), 1.0);
    }
  }
}

TEST_CASE("huge scores and extreme temperatures neither overflow nor lose the maximum") {
  Random random(4);
  for (int number = 0; number < 40; ++number) {
    const GraphPtr graph = RandomForest(random, 1 + number % 6, 2 + number % 3);
    for (const double scale : {1.0, 1e8, 1e150}) {
      const std::vector<double> scores = RandomScores(random, *graph, scale);
      const MapResult best = Solved(TreeSolver(graph), scores);
      std::vector<double> marginals(scores.size());
      SumProduct solver(graph);
      // Low temperature: the maximum, and the indicator vector of the best labelling.
      const double cold = scale * 1e-14;
      CHECK(Near(solver.Marginals(scores, cold, marginals), best.value, kExact));
      CheckConsistent(*graph, marginals);
      for (Index i = 0; i < graph->num_variables(); ++i) {
        CHECK(marginals[graph->state_offset(i) + best.labels[i]] == doctest::Approx(1));
      }
      // High temperature: all labellings have the same probability.
      const double hot = scale * 1e15;
      const double entropy = solver.Marginals(scores, hot, marginals) / hot;
      CheckConsistent(*graph, marginals);
      double logs = 0;
      for (Index i = 0; i < graph->num_variables(); ++i) {
        logs += std::log(graph->cardinality(i));
        for (Index s = 0; s < graph->cardinality(i); ++s) {
          CHECK(marginals[graph->state_offset(i) + s] ==
                doctest::Approx(1.0 / graph->cardinality(i)));
        }
      }
      CHECK(Near(entropy, logs, kExact));
    }
  }
}

TEST_CASE("forbidden states have no mass") {
  Random random(5);
  int refused = 0;
  for (int number = 0; number < 60; ++number) {
    const GraphPtr graph = RandomForest(random, 1 + number % 6, 3);
    std::vector<double> scores = RandomScores(random, *graph, 1.0);
    for (double& score : scores) {
      if (random.Below(5) == 0) score = -kInfinity;
    }
    bool possible = true;
    try {
      Solved(TreeSolver(graph), scores);
    } catch (const DataError&) {
      possible = false;
    }
    std::vector<double> marginals(scores.size());
    if (!possible) {
      ++refused;
      CHECK_THROWS_AS(SumProduct(graph).Marginals(scores, 1, marginals), DataError);
      continue;
    }
    CheckAgainstEnumeration(graph, scores, 0.5);
    SumProduct(graph).Marginals(scores, 0.5, marginals);
    CheckConsistent(*graph, marginals);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (scores[k] == -kInfinity) CHECK(marginals[k] == 0);
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("marginals of long chains stay consistent") {
  Random random(6);
  const GraphPtr graph = Chain(2000, 5);
  for (const double temperature : {0.01, 1.0, 100.0}) {
    std::vector<double> marginals(graph->total_states());
    SumProduct(graph).Marginals(RandomScores(random, *graph, 1.0), temperature, marginals);
    CheckConsistent(*graph, marginals);
  }
}

TEST_CASE("sum-product refuses cycles and bad arguments") {
  CHECK_THROWS_AS(SumProduct(Cycle(3, 2)), DataError);
  const GraphPtr graph = Chain(2, 2);
  SumProduct solver(graph);
  std::vector<double> scores(8, 0.0);
  std::vector<double> marginals(8);
  CHECK_THROWS_AS(solver.Marginals(scores, 0, marginals), std::invalid_argument);
  CHECK_THROWS_AS(solver.Marginals(scores, kInfinity, marginals), std::invalid_argument);
  CHECK_THROWS_AS(solver.Marginals(scores, 1e-320, marginals), std::invalid_argument);
  CHECK_THROWS_AS(solver.LogPartition(std::vector<double>(3), 1), std::invalid_argument);
  marginals.pop_back();
  CHECK_THROWS_AS(solver.Marginals(scores, 1, marginals), std::invalid_argument);
}
