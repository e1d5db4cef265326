// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the best labelling with a bounded number of ones with enumeration.
#include <slackline/inference/count_search.h>

#include <algorithm>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/decode.h>
#include <slackline/inference/roof_solver.h>
#include <slackline/inference/tree_dp.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The largest score of the labellings whose number of ones is within the range.
double BestWithin(const FactorGraph& graph, const std::vector<double>& scores, CountRange range) {
  const Index n = graph.num_variables();
  double best = -kInfinity;
  std::vector<Index> labels(n);
  for (Index code = 0; code < Index{1} << n; ++code) {
    for (Index i = 0; i < n; ++i) labels[i] = code >> i & 1;
    if (range.Contains(CountOnes(labels)))
      best = std::max(best, test::LabellingScore(graph, scores, labels));
  }
  return best;
}

GraphPtr BinaryForest(Random& random, Index n) {
  FactorGraphBuilder builder;
  builder.AddVariables(n, 2);
  for (Index i = 1; i < n; ++i) {
    if (random.Below(5) > 0) builder.AddFactor({static_cast<Index>(random.Below(i)), i});
  }
  return builder.Build();
}

/// Checks what holds for every answer.
void CheckAnswer(const FactorGraph& graph, const std::vector<double>& scores, CountRange range,
                 const MapResult& result, double best) {
  REQUIRE(std::ssize(result.labels) == graph.num_variables());
  CHECK(range.Contains(CountOnes(result.labels)));
  CHECK(result.integral);
  CHECK(result.marginals.empty());
  CHECK(Near(result.value, test::LabellingScore(graph, scores, result.labels), kExact));
  CHECK(result.value <= best + kExact);
  CHECK(result.upper_bound >= best - kTight);
  if (result.exact) CHECK(Near(result.value, best, kSolver));
}

}  // namespace

TEST_CASE("all ranges on small graphs are solved, by exact solvers and by the relaxation") {
  Random random(71);
  Index answers = 0;
  Index exact = 0;
  for (int number = 0; number < 60; ++number) {
    const Index n = 3 + number % 5;
    const GraphPtr graph = number % 3 == 0 ? BinaryForest(random, n) : FullBinary(n);
    const std::vector<double> scores =
        number % 4 == 3 ? RandomIntegerScores(random, *graph, 3)
                        : DenseBinaryScores(random, *graph, number % 2 == 0 ? 1 : 6);
    BranchAndBoundSolver search(graph);
    const auto roof = MakeRoofSolver(graph);
    for (Index low = 0; low <= n; ++low) {
      for (Index high = low; high <= n; ++high) {
        CAPTURE(number);
        CAPTURE(low);
        CAPTURE(high);
        const CountRange range{low, high};
        const double best = BestWithin(*graph, scores, range);
        CountSearch counts(graph, range);
        MapResult result;
        for (MapSolver* solver : {static_cast<MapSolver*>(&search), roof.get()}) {
          counts.Solve(scores, solver, &result);
          CheckAnswer(*graph, scores, range, result, best);
          ++answers;
          exact += result.exact;
        }
      }
    }
  }
  // With so few variables branch and bound never reaches its limit.
  CHECK(exact == answers);
}

TEST_CASE("forests whose best labellings jump from few ones to many are solved") {
  Random random(72);
  for (int number = 0; number < 40; ++number) {
    const GraphPtr graph = BinaryForest(random, 11);
    // Attraction: the number of ones of the optimum jumps, and no price on a one gives the counts
    // in between.
    std::vector<double> scores = RandomScores(random, *graph, 1);
    for (Index c = 0; c < graph->num_factors(); ++c) {
      scores[graph->factor_offset(c)] += 3;
      scores[graph->factor_offset(c) + 3] += 3;
    }
    TreeSolver tree(graph);
    for (Index k = 0; k <= 11; ++k) {
      const CountRange range{k, std::min(k + number % 2, Index{11})};
      CountSearch counts(graph, range);
      const MapResult result = Solved(counts, scores, &tree);
      CheckAnswer(*graph, scores, range, result, BestWithin(*graph, scores, range));
      CHECK(result.exact);
    }
  }
}

TEST_CASE("without factors the largest gains are taken") {
  FactorGraphBuilder builder;
  builder.AddVariables(4, 2);
  const GraphPtr graph = builder.Build();
  const std::vector<double> scores = {0, -3, 0, -1, 1, -1, 0, 2};
  BranchAndBoundSolver solver(graph);
  const auto labels = [&](Index low, Index high) {
    const MapResult result = Solved(CountSearch(graph, {low, high}), scores, &solver);
    CHECK(result.exact);
    return result.labels;
  };
  CHECK(labels(0, 4) == std::vector<Index>{0, 0, 0, 1});
  CHECK(labels(0, 0) == std::vector<Index>{0, 0, 0, 0});
  CHECK(labels(2, 4) == std::vector<Index>{0, 1, 0, 1});
  CHECK(labels(3, 3) == std::vector<Index>{0, 1, 1, 1});
  CHECK(labels(4, 4) == std::vector<Index>{1, 1, 1, 1});
}

TEST_CASE("a search that ends at its limit leaves a valid bound") {
  Random random(73);
  Index open = 0;
  for (int number = 0; number < 30; ++number) {
    const GraphPtr graph = FullBinary(10);
    const std::vector<double> scores = DenseBinaryScores(random, *graph, 12);
    const CountRange range{7, 8};
    const auto roof = MakeRoofSolver(graph);
    CountSearch counts(graph, range, {3});
    const MapResult result = Solved(counts, scores, roof.get());
    CheckAnswer(*graph, scores, range, result, BestWithin(*graph, scores, range));
    open += !result.exact;
  }
  CHECK(open > 0);
}

TEST_CASE("a decoder respects the range, and searches only where the best labelling violates it") {
  Random random(74);
  Index unchanged = 0;
  Index changed = 0;
  for (int number = 0; number < 60; ++number) {
    const GraphPtr graph = FullBinary(9);
    const std::vector<double> scores = DenseBinaryScores(random, *graph, 2);
    const CountRange range{4, 6};
    for (const DecodeKind kind : {DecodeKind::kAuto, DecodeKind::kLp}) {
      Decoder plain(kind, graph);
      Decoder bounded(kind, graph, range);
      const MapResult before = Decoded(plain, scores);
      const MapResult result = Decoded(bounded, scores);
      CHECK(range.Contains(CountOnes(result.labels)));
      CHECK(result.upper_bound >= BestWithin(*graph, scores, range) - kTight);
      CHECK(result.upper_bound <= before.upper_bound);
      if (range.Contains(CountOnes(before.labels))) {
        CHECK(result.labels == before.labels);
        CHECK(result.exact == before.exact);
        ++unchanged;
      } else {
        CheckAnswer(*graph, scores, range, result, BestWithin(*graph, scores, range));
        CHECK(result.exact);
        ++changed;
      }
      // The count does not affect the max-marginals.
      std::vector<double> a(9);
      std::vector<double> b(9);
      plain.MaxMarginals(scores, a);
      bounded.MaxMarginals(scores, b);
      CHECK(a == b);
    }
  }
  CHECK(unchanged > 10);
  CHECK(changed > 10);
}

TEST_CASE("bad arguments") {
  const GraphPtr graph = FullBinary(3);
  CHECK_THROWS_AS(CountSearch(graph, {4, 5}), std::invalid_argument);
  CHECK_THROWS_AS(CountSearch(graph, {2, 1}), std::invalid_argument);
  CHECK_THROWS_AS(CountSearch(graph, {-1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(CountSearch(Grid(1, 2, 3), {0, 1}), std::invalid_argument);
  CHECK_THROWS_AS(Decoder(DecodeKind::kAuto, Grid(1, 2, 3), CountRange{1, 2}),
                  std::invalid_argument);
  BranchAndBoundSolver solver(graph);
  MapResult result;
  CountSearch counts(graph, {1, 1});
  CHECK_THROWS_AS(counts.Solve(std::vector<double>(3, 0.0), &solver, &result),
                  std::invalid_argument);
  std::vector<double> scores(graph->total_states(), 0.0);
  scores[0] = kInfinity;
  CHECK_THROWS_AS(counts.Solve(scores, &solver, &result), std::invalid_argument);
}
