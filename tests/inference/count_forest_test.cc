// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the best labelling under a gain of two counts with enumeration.
#include <slackline/inference/count_forest.h>

#include <stdexcept>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/factors/joint_states.h>

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

/// A forest of n variables with 1 … 4 states, joined as in BinaryForest.
GraphPtr MixedForest(Random& random, Index n, std::uint64_t joined) {
  FactorGraphBuilder builder;
  for (Index i = 0; i < n; ++i) builder.AddVariables(1, 1 + static_cast<Index>(random.Below(4)));
  for (Index i = 1; i < n; ++i) {
    const auto other = static_cast<Index>(random.Below(i));
    if (random.Below(5) < joined) {
      if (random.Below(2) == 0) {
        builder.AddFactor({other, i});
      } else {
        builder.AddFactor({i, other});
      }
    }
    if (random.Below(5) == 0) builder.AddFactor({i});
  }
  return builder.Build();
}

struct Counted {
  std::vector<StateCounts> counts;  // of the states of all variables
  std::vector<double> add;
  std::vector<double> times;
  Index width = 1;  // largest second count + 1

  CountGains gains() const { return {add, times}; }
  double Value(const FactorGraph& graph, double score, std::span<const Index> labels) const {
    StateCounts sum;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const StateCounts own = counts[graph.state_offset(static_cast<Index>(i)) + labels[i]];
      sum.first += own.first;
      sum.second += own.second;
    }
    const auto at = static_cast<std::size_t>(sum.first * width + sum.second);
    return (times.empty() ? score : times[at] * score) + add[at];
  }
};

/// Draws the gains. times: whether scores are multiplied, by 0 for some counts.
void DrawGains(Random& random, const GraphPtr& graph, double scale, bool times, Counted* counted) {
  const StateCounts largest = CountForest(graph).Largest(counted->counts);
  counted->width = largest.second + 1;
  counted->add.resize((largest.first + 1) * counted->width);
  for (double& gain : counted->add) gain = scale * random.Normal();
  if (!times) return;
  for (std::size_t k = 0; k < counted->add.size(); ++k)
    counted->times.push_back(static_cast<double>(random.Below(4)) / 2);
}

/// State 1 of a variable counts in h or in f.
Counted RandomMarks(Random& random, const GraphPtr& graph, double scale) {
  Counted counted;
  for (Index i = 0; i < graph->num_variables(); ++i) {
    const bool marked = random.Below(2) == 0;
    counted.counts.push_back({});
    counted.counts.push_back(marked ? StateCounts{1, 0} : StateCounts{0, 1});
  }
  DrawGains(random, graph, scale, false, &counted);
  return counted;
}

/// Any states count, up to `most` in either count.
Counted RandomCounts(Random& random, const GraphPtr& graph, Index most, bool both) {
  Counted counted;
  for (Index s = 0; s < graph->variable_states(); ++s) {
    StateCounts own;
    if (both) own.first = static_cast<Index>(random.Below(most + 1));
    own.second = static_cast<Index>(random.Below(most + 1));
    counted.counts.push_back(own);
  }
  DrawGains(random, graph, 2, random.Below(3) > 0, &counted);
  return counted;
}

/// The largest value over all labellings.
double BestOfAll(const FactorGraph& graph, const std::vector<double>& scores,
                 const Counted& counted) {
  double best = -kInfinity;
  std::vector<Index> labels(graph.num_variables());
  do {
    const double score = test::LabellingScore(graph, scores, labels);
    if (score > -kInfinity) best = std::max(best, counted.Value(graph, score, labels));
  } while (NextJoint(graph.cardinalities(), labels));
  return best;
}

void CheckOne(const GraphPtr& graph, const std::vector<double>& scores, const Counted& counted,
              CountForest* forest) {
  std::vector<Index> labels(graph->num_variables());
  const double value = forest->Maximise(scores, counted.counts, counted.gains(), labels);
  CHECK(Near(value, BestOfAll(*graph, scores, counted), kExact));
  const double score = test::LabellingScore(*graph, scores, labels);
  CHECK(Near(value, counted.Value(*graph, score, labels), kExact));
}

void CheckGraph(Random& random, const GraphPtr& graph, double scale) {
  CountForest forest(graph);
  for (int repeat = 0; repeat < 3; ++repeat)  // the work space of earlier calls must not matter
    CheckOne(graph, RandomScores(random, *graph, 1), RandomMarks(random, graph, scale), &forest);
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
  const std::vector<double> add = {0.5};
  CHECK(forest.Maximise({}, {}, {add, {}}, labels) == 0.5);
}

TEST_CASE("any counts of variables with one to four states are maximised") {
  Random random(7);
  for (int number = 0; number < 200; ++number) {
    const GraphPtr graph = MixedForest(random, 1 + number % 7, number % 4 == 0 ? 0 : 4);
    CountForest forest(graph);
    for (const bool both : {false, true}) {
      std::vector<double> scores = number % 5 == 0 ? RandomIntegerScores(random, *graph, 1)
                                                   : RandomScores(random, *graph, 1);
      const Counted counted = RandomCounts(random, graph, 1 + number % 2, both);
      CheckOne(graph, scores, counted, &forest);
      // State 0 of every variable stays allowed, and with it a labelling.
      for (Index i = 0; i < graph->num_variables(); ++i) {
        for (Index s = 1; s < graph->cardinality(i); ++s) {
          if (random.Below(3) == 0) scores[graph->state_offset(i) + s] = -kInfinity;
        }
      }
      CheckOne(graph, scores, counted, &forest);
    }
  }
}

TEST_CASE("calls compute at most as many table entries as they foretell") {
  Random random(8);
  for (int number = 0; number < 30; ++number) {
    const GraphPtr graph = MixedForest(random, 2 + number % 9, 5);
    CountForest forest(graph);
    const Counted counted = RandomCounts(random, graph, 2, true);
    std::vector<Index> labels(graph->num_variables());
    forest.Maximise(RandomScores(random, *graph, 1), counted.counts, counted.gains(), labels);
    CHECK(static_cast<double>(forest.work()) <= forest.CallWork(counted.counts));
    CHECK(forest.work() > 0);
  }
}

TEST_CASE("counts are refused on unsupported graphs") {
  FactorGraphBuilder triple;
  triple.AddVariables(3, 2);
  triple.AddFactor({0, 1, 2});
  for (const GraphPtr& graph : {triple.Build(), FullBinary(3)}) {
    CHECK_FALSE(CountForest::Fits(*graph));
    CHECK_THROWS_AS(CountForest{graph}, std::invalid_argument);
  }
  FactorGraphBuilder pair;
  pair.AddVariables(2, 2);
  pair.AddFactor({0, 1});
  CountForest forest(pair.Build());
  std::vector<Index> labels(2);
  const std::vector<StateCounts> counts = {{}, {1, 0}, {}, {0, 1}};
  const auto maximise = [&](std::size_t scores, std::size_t add, std::size_t times) {
    const std::vector<double> added(add, 0.0);
    const std::vector<double> multiplied(times, 1.0);
    forest.Maximise(std::vector<double>(scores, 0.0), counts, {added, multiplied}, labels);
  };
  CHECK_NOTHROW(maximise(8, 4, 0));
  CHECK_NOTHROW(maximise(8, 4, 4));
  CHECK_THROWS_AS(maximise(8, 3, 0), std::invalid_argument);
  CHECK_THROWS_AS(maximise(7, 4, 0), std::invalid_argument);
  CHECK_THROWS_AS(maximise(8, 4, 3), std::invalid_argument);
  CHECK_THROWS_WITH_AS(forest.Maximise(std::vector<double>(8, -kInfinity), counts,
                                       {std::vector<double>(4, 0.0), {}}, labels),
                       doctest::Contains("every labelling is forbidden"), std::invalid_argument);
}
