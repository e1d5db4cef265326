// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the best labelling under a gain of two counts with enumeration.
#include <slackline/inference/count_forest.h>

#include <stdexcept>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A forest of n binary variables. Each variable but the first is joined to an earlier one with
/// probability joined/5, and each has a factor of its own with probability single/5.
GraphPtr BinaryForest(Random& random, Index n, std::uint64_t joined, std::uint64_t single) {
  FactorGraphBuilder builder;
  builder.AddVariables(n, 2);
  for (Index i = 1; i < n; ++i) {
    const auto other = static_cast<Index>(random.Below(i));
    if (random.Below(5) < joined) {
      if (random.Below(2) == 0) {
        builder.AddFactor({other, i});
      } else {
        builder.AddFactor({i, other});
      }
    }
    if (random.Below(5) < single) builder.AddFactor({i});
  }
  return builder.Build();
}

struct Counted {
  std::vector<Index> marked;
  std::vector<double> gains;
  Index others = 0;

  double Gain(std::span<const Index> labels) const {
    Index hits = 0;
    Index rest = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) (marked[i] == 1 ? hits : rest) += labels[i];
    return gains[hits * (others + 1) + rest];
  }
};

Counted RandomCounted(Random& random, Index n, double scale) {
  Counted counted;
  Index hits = 0;
  for (Index i = 0; i < n; ++i) {
    counted.marked.push_back(random.Below(2) == 0);
    hits += counted.marked.back();
  }
  counted.others = n - hits;
  counted.gains.resize((hits + 1) * (counted.others + 1));
  for (double& gain : counted.gains) gain = scale * random.Normal();
  return counted;
}

/// The largest score plus gain over all labellings.
double BestOfAll(const FactorGraph& graph, const std::vector<double>& scores,
                 const Counted& counted) {
  const Index n = graph.num_variables();
  double best = -kInfinity;
  std::vector<Index> labels(n);
  for (Index code = 0; code < Index{1} << n; ++code) {
    for (Index i = 0; i < n; ++i) labels[i] = code >> i & 1;
    best = std::max(best, test::LabellingScore(graph, scores, labels) + counted.Gain(labels));
  }
  return best;
}

void CheckGraph(Random& random, const GraphPtr& graph, double scale) {
  CountForest forest(graph);
  std::vector<Index> labels(graph->num_variables());
  for (int repeat = 0; repeat < 3; ++repeat) {  // the work space of earlier calls must not matter
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    const Counted counted = RandomCounted(random, graph->num_variables(), scale);
    const double value = forest.Maximise(scores, counted.marked, counted.gains, labels);
    CHECK(Near(value, BestOfAll(*graph, scores, counted), kExact));
    CHECK(Near(value, test::LabellingScore(*graph, scores, labels) + counted.Gain(labels), kExact));
  }
}

}  // namespace

TEST_CASE("gains of two counts on unconnected variables are maximised") {
  Random random(3);
  for (int number = 0; number < 60; ++number) {
    const double scale = number % 3 == 0 ? 0 : number % 3 == 1 ? 1 : 5;
    CheckGraph(random, BinaryForest(random, 1 + number % 9, 0, number % 4), scale);
  }
}

TEST_CASE("gains of two counts on trees and forests with unary factors are maximised") {
  Random random(5);
  for (int number = 0; number < 120; ++number) {
    const double scale = number % 3 == 0 ? 0 : number % 3 == 1 ? 1 : 5;
    CheckGraph(random, BinaryForest(random, 2 + number % 9, 3 + number % 3, number % 4), scale);
  }
}

TEST_CASE("graphs without variables are solved") {
  CountForest forest(FactorGraphBuilder().Build());
  std::vector<Index> labels;
  CHECK(forest.Maximise({}, {}, std::vector<double>{0.5}, labels) == 0.5);
}

TEST_CASE("two counts are refused on unsupported graphs") {
  FactorGraphBuilder three_states;
  three_states.AddVariables(2, 3);
  FactorGraphBuilder triple;
  triple.AddVariables(3, 2);
  triple.AddFactor({0, 1, 2});
  for (const GraphPtr& graph : {three_states.Build(), triple.Build(), FullBinary(3)}) {
    CHECK_FALSE(CountForest::Fits(*graph));
    CHECK_THROWS_AS(CountForest{graph}, std::invalid_argument);
  }
  FactorGraphBuilder pair;
  pair.AddVariables(2, 2);
  pair.AddFactor({0, 1});
  CountForest forest(pair.Build());
  std::vector<Index> labels(2);
  const std::vector<double> scores(8, 0.0);
  const std::vector<Index> marked = {1, 0};
  CHECK_THROWS_AS(forest.Maximise(scores, marked, std::vector<double>(3, 0.0), labels),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      forest.Maximise(std::vector<double>(7, 0.0), marked, std::vector<double>(4, 0.0), labels),
      std::invalid_argument);
}
