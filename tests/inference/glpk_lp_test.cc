// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/glpk_lp.h>

#include <doctest/doctest.h>

#include <limits>
#include <thread>

#include <slackline/core/check.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/tree_dp.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Checks what holds for every result of the LP.
void CheckResult(const FactorGraph& graph, const std::vector<double>& scores,
                 const MapResult& result) {
  REQUIRE(std::ssize(result.labels) == graph.num_variables());
  CHECK(result.upper_bound >= result.value);
  CHECK(Near(result.upper_bound, result.value, kTight));
  const double rounded = test::LabellingScore(graph, scores, result.labels);
  if (result.integral) {
    CHECK(result.marginals.empty());
    CHECK(Near(rounded, result.value, kExact));
    CHECK(result.exact);
  } else {
    REQUIRE(result.marginals.size() == scores.size());
    CHECK(PolytopeViolation(graph, result.marginals) <= kPolytope);
    CHECK(Near(MarginalsScore(scores, result.marginals), result.value, kExact));
    CHECK(rounded <= result.value + kTight);
    CHECK_FALSE(result.exact);
  }
}

std::vector<double> Drifted(Random& random, const std::vector<double>& scores, double scale) {
  std::vector<double> drifted = scores;
  for (double& score : drifted) score += scale * random.Normal();
  return drifted;
}

}  // namespace

TEST_CASE("without GLPK the LP solver names alternatives") {
  if (HasGlpk()) return;
  CHECK_THROWS_WITH_AS(MakeGlpkSolver(FullBinary(3)), doctest::Contains("branch-and-bound"),
                       DataError);
}

TEST_CASE("the LP bounds the maximum from above, rounding from below, and labellings are maxima") {
  if (!HasGlpk()) return;
  Random random(61);
  int fractional = 0;
  for (int number = 0; number < 480; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    const MapResult result = Solved(*MakeGlpkSolver(graph), scores);
    CAPTURE(number);
    CheckResult(*graph, scores, result);
    CHECK(result.value >= best.value - kTight * std::max(1.0, std::abs(best.value)));
    if (result.integral) CHECK(Near(result.value, best.value, kTight));
    fractional += !result.integral;
  }
  CHECK(fractional > 10);
}

TEST_CASE("on forests the LP equals the maximum") {
  if (!HasGlpk()) return;
  Random random(62);
  for (int number = 0; number < 60; ++number) {
    const GraphPtr graph = RandomForest(random, number % 12, 1 + number % 5);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    const MapResult best = Solved(TreeSolver(graph), scores);
    const MapResult result = Solved(*MakeGlpkSolver(graph, GlpkFormulation::kGeneral), scores);
    CHECK(Near(result.value, best.value, kTight));
    CheckResult(*graph, scores, result);
  }
}

TEST_CASE("on the frustrated triangle all marginals are one half") {
  if (!HasGlpk()) return;
  const GraphPtr graph = Cycle(3, 2);
  std::vector<double> scores(graph->total_states(), 0.0);
  for (Index c = 0; c < 3; ++c)
    scores[graph->factor_offset(c) + 1] = scores[graph->factor_offset(c) + 2] = 1;
  for (const GlpkFormulation formulation : {GlpkFormulation::kCompact, GlpkFormulation::kGeneral}) {
    const MapResult result = Solved(*MakeGlpkSolver(graph, formulation), scores);
    CHECK_FALSE(result.integral);
    CHECK_FALSE(result.exact);
    CHECK(Near(result.value, 3, kTight));
    CHECK(Near(result.upper_bound, 3, kTight));
    REQUIRE(result.marginals.size() == 18);
    for (Index k = 0; k < 6; ++k) CHECK(Near(result.marginals[k], 0.5, kTight));
    for (Index c = 0; c < 3; ++c)
      CHECK(Near(result.marginals[graph->factor_offset(c) + 1], 0.5, kTight));
    CHECK(test::LabellingScore(*graph, scores, result.labels) <= 2);
  }
}

TEST_CASE("both formulations have the same value") {
  if (!HasGlpk()) return;
  Random random(63);
  for (int number = 0; number < 60; ++number) {
    const bool full = number % 3 == 0;
    const GraphPtr graph =
        full ? FullBinary(2 + number % 9) : RandomBinaryPairs(random, 1 + number % 8, 14);
    const std::vector<double> scores =
        full ? DenseBinaryScores(random, *graph, 3) : SmallScores(random, *graph, number);
    const MapResult compact = Solved(*MakeGlpkSolver(graph, GlpkFormulation::kCompact), scores);
    const MapResult general = Solved(*MakeGlpkSolver(graph, GlpkFormulation::kGeneral), scores);
    CheckResult(*graph, scores, compact);
    CheckResult(*graph, scores, general);
    CHECK(Near(compact.value, general.value, kTight));
  }
}

TEST_CASE("corners of binary pairwise graphs are exactly half-integral") {
  if (!HasGlpk()) return;
  Random random(64);
  const GraphPtr graph = FullBinary(30);
  const std::vector<double> scores = DenseBinaryScores(random, *graph, 2);
  const MapResult result = Solved(*MakeGlpkSolver(graph), scores);
  CheckResult(*graph, scores, result);
  REQUIRE_FALSE(result.integral);
  CHECK(PolytopeViolation(*graph, result.marginals) == 0);
  for (const double p : result.marginals) CHECK((p == 0 || p == 0.5 || p == 1));
}

TEST_CASE("results depend only on scores and warm start, which may be none, not on earlier calls") {
  if (!HasGlpk()) return;
  Random random(65);
  for (int number = 0; number < 40; ++number) {
    const GraphPtr graph = number % 2 == 0 ? FullBinary(6 + number % 5) : Grid(2, 3, 3);
    const auto used = MakeGlpkSolver(graph);
    std::vector<double> scores = RandomScores(random, *graph, 1);
    WarmStart warm;
    for (int call = 0; call < 12; ++call) {
      WarmStart same = warm;
      const bool cold = call > 9;
      const MapResult a = Solved(*used, scores, cold ? nullptr : &warm);
      const MapResult b = Solved(*MakeGlpkSolver(graph), scores, cold ? nullptr : &same);
      CHECK(a.labels == b.labels);
      CHECK(a.marginals == b.marginals);
      CHECK(a.value == b.value);
      CHECK(a.upper_bound == b.upper_bound);
      CHECK(warm.bytes == same.bytes);
      scores = Drifted(random, scores, 0.05);
    }
  }
}

TEST_CASE("with drifting scores a warm start leads to the value of a cold start") {
  if (!HasGlpk()) return;
  Random random(65);
  const std::vector<GraphPtr> graphs{FullBinary(12), Grid(3, 3, 3), RandomGraph(random, 7, 3, 9, 3),
                                     Cycle(5, 2)};
  for (const GraphPtr& graph : graphs) {
    const auto warm_solver = MakeGlpkSolver(graph);
    const auto cold_solver = MakeGlpkSolver(graph);
    WarmStart first;
    WarmStart second;
    std::vector<double> scores = RandomScores(random, *graph, 1);
    std::vector<double> others = RandomScores(random, *graph, 1);
    for (int step = 0; step < 25; ++step) {
      MapResult warm;
      MapResult cold;
      warm_solver->Solve(scores, &first, &warm);
      cold_solver->Solve(scores, nullptr, &cold);
      CheckResult(*graph, scores, warm);
      CHECK(Near(warm.value, cold.value, kTight));
      warm_solver->Solve(others, &second, &warm);  // another example on the same solver
      cold_solver->Solve(others, nullptr, &cold);
      CHECK(Near(warm.value, cold.value, kTight));
      CHECK_FALSE(first.bytes.empty());
      scores = Drifted(random, scores, step % 5 == 4 ? 1 : 0.02);
      others = Drifted(random, others, 0.1);
    }
  }
}

TEST_CASE("a warm start that is no basis is ignored") {
  if (!HasGlpk()) return;
  Random random(67);
  const GraphPtr graph = FullBinary(8);
  const std::vector<double> scores = RandomScores(random, *graph, 1);
  WarmStart good;
  const auto solver = MakeGlpkSolver(graph);
  const MapResult expected = Solved(*solver, scores, &good);
  std::vector<WarmStart> bad(5, good);
  bad[0].bytes.pop_back();
  bad[1].bytes[0] ^= 3;
  for (std::size_t k = 1; k < good.bytes.size(); ++k) bad[2].bytes[k] = 0xff;
  for (std::size_t k = 1; k < good.bytes.size(); ++k) bad[3].bytes[k] = 0x55;
  bad[4].bytes[1] ^= 1;
  for (WarmStart& warm : bad) {
    const MapResult result = Solved(*solver, scores, &warm);
    CHECK(Near(result.value, expected.value, kTight));
    CheckResult(*graph, scores, result);
  }
}

TEST_CASE("a basis that is singular is replaced") {
  if (!HasGlpk()) return;
  const GraphPtr graph = FullBinary(2);
  WarmStart warm;
  MapResult result;
  const std::vector<double> scores{0, 1, 0, -2, 0, 0, 0, -3};
  const auto solver = MakeGlpkSolver(graph, GlpkFormulation::kGeneral);
  solver->Solve(scores, &warm, &result);
  // The LP has 5 rows and 8 columns. Basic are rows 0, 2, 3, 4 and column 4 (joint state 00), which
  // has no entry in row 1: the basis is singular.
  warm.bytes = {2, 0, 0, 0, 0};
  const auto set = [&](int k, unsigned status) {
    warm.bytes[1 + k / 4] |= static_cast<std::uint8_t>(status << (2 * (k % 4)));
  };
  const std::vector<int> basic{0, 2, 3, 4, 9};
  for (int k = 0; k < 13; ++k)
    set(k, std::find(basic.begin(), basic.end(), k) == basic.end() ? 1 : 0);
  solver->Solve(scores, &warm, &result);
  CheckResult(*graph, scores, result);
  CHECK(result.value == 1);
}

TEST_CASE("results do not depend on the scale of the scores") {
  if (!HasGlpk()) return;
  Random random(68);
  for (const GraphPtr& graph : {FullBinary(9), Grid(2, 3, 3)}) {
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    const MapResult expected = Solved(*MakeGlpkSolver(graph), scores);
    for (const double scale : {0x1p-40, 0x1p40}) {
      std::vector<double> scaled = scores;
      for (double& score : scaled) score *= scale;
      const MapResult result = Solved(*MakeGlpkSolver(graph), scaled);
      CHECK(result.value == expected.value * scale);
      CHECK(result.upper_bound == expected.upper_bound * scale);
      CHECK(result.labels == expected.labels);
    }
  }
}

TEST_CASE("scores that are not finite never reach GLPK") {
  if (!HasGlpk()) return;
  const GraphPtr graph = FullBinary(3);
  const auto solver = MakeGlpkSolver(graph);
  MapResult result;
  std::vector<double> scores(graph->total_states(), 0.0);
  for (const double bad : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    scores[7] = bad;
    CHECK_THROWS_AS(solver->Solve(scores, nullptr, &result), std::invalid_argument);
  }
  CHECK_THROWS_AS(solver->Solve(std::vector<double>(3), nullptr, &result), std::invalid_argument);
}

TEST_CASE(
    "solvers work in several threads, and may be created, used and destroyed in different "
    "threads") {
  if (!HasGlpk()) return;
  Random random(69);
  const GraphPtr graph = FullBinary(12);
  const std::vector<double> scores = RandomScores(random, *graph, 1);
  MapResult expected;
  auto shared = MakeGlpkSolver(graph);
  shared->Solve(scores, nullptr, &expected);
  std::vector<MapResult> results(4);
  std::vector<std::unique_ptr<MapSolver>> solvers(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      solvers[t] = MakeGlpkSolver(graph);
      for (int k = 0; k < 20; ++k) solvers[t]->Solve(scores, nullptr, &results[t]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const MapResult& result : results) CHECK(result.value == expected.value);
  // The threads that used the solvers have ended; the solvers must work in this thread.
  for (auto& solver : solvers) {
    const MapResult result = Solved(*solver, scores);
    CHECK(result.value == expected.value);
  }
  std::thread([&] {
    const MapResult result = Solved(*shared, scores);
    CHECK(result.value == expected.value);
    solvers.clear();
  }).join();
  shared->Solve(scores, nullptr, &expected);
  std::thread([&] { shared.reset(); }).join();
  const MapResult result = Solved(*MakeGlpkSolver(graph), scores);
  CHECK(result.value == expected.value);
}

TEST_CASE("the work of a solver does not depend on the threads that call it") {
  if (!HasGlpk()) return;
  const GraphPtr graph = FullBinary(12);
  const auto stays = MakeGlpkSolver(graph);
  const auto moves = MakeGlpkSolver(graph);
  Random random(70);
  MapResult result;
  for (int k = 0; k < 6; ++k) {
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    stays->Solve(scores, nullptr, &result);
    std::thread([&] { moves->Solve(scores, nullptr, &result); }).join();
    CHECK(moves->work() == stays->work());
  }
}

TEST_CASE("the compact LP is refused where it does not apply") {
  if (!HasGlpk()) return;
  CHECK_THROWS_AS(MakeGlpkSolver(Cycle(3, 3), GlpkFormulation::kCompact), DataError);
}
