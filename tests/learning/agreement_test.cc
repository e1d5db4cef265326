// SPDX-License-Identifier: BSD-3-Clause
//
// One table of all learners: how near each one comes to the optimum of an independent quadratic
// program (tests/support/dense_qp.h) within a number of passes, on small problems with and without
// cycles. A learner without a row fails the test.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/learner_registry.h>

#include "tests/support/agreement.h"
#include "tests/support/forest_problems.h"
#include "tests/support/learner_ways.h"
#include "tests/support/prox_reference.h"
#include "tests/support/sanitized.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Kind = LearnerKind;

/// A learner, and the largest allowed distance of its primal and its dual from the optimum after
/// `passes` passes, relative to max(0.1, the optimum).
struct Row {
  Kind learner;
  const char* variant;
  void (*set)(TrainOptions*);
  Index passes;
  double primal;
  double dual;
};

/// For methods that converge linearly or finitely: the run stops at a gap of a third of this.
constexpr double kConverged = 1e-4;

void Defaults(TrainOptions*) {}
void Weighted(TrainOptions* options) { options->average = AverageKind::kWeighted; }

/// The other methods are sublinear. Their proven gaps (a few R²/(λk) after k passes, or R/√(λk))
/// are a hundred times wider than the distances below, which are about twice the largest ones
/// measured on the problems of this file after 1000 passes. A dual that never leaves the ground
/// truth has distance 1.
const Row kRows[] = {
    {Kind::kAuto, "", Defaults, 3000, kConverged, kConverged},
    {Kind::kBcfw, "pairwise", [](TrainOptions* o) { o->step = StepKind::kPairwise; }, 3000,
     kConverged, kConverged},
    {Kind::kBcfw, "away", [](TrainOptions* o) { o->step = StepKind::kAway; }, 3000, kConverged,
     kConverged},
    {Kind::kPdhg, "", Defaults, 3000, kConverged, kConverged},
    {Kind::kBcfw, "fw", Weighted, 1000, 0.015, 0.02},
    {Kind::kAugmentedLagrangian, "", Defaults, 3000, kConverged, kConverged},
    {Kind::kCuttingPlane1, "", Defaults, 1000, kConverged, kConverged},
    {Kind::kCuttingPlaneN, "", Defaults, 1000, kConverged, kConverged},
    {Kind::kBundle, "", Defaults, 1000, kConverged, kConverged},
    {Kind::kKernelBcfw, "", Defaults, 1000, 0.015, 0.02},
    {Kind::kKernelFrankWolfe, "", Defaults, 1000, 0.025, 0.04},
    {Kind::kFrankWolfe, "", Defaults, 1000, 0.01, 0.04},
    {Kind::kSubgradient, "", Weighted, 1000, 0.025, 0.035},
    {Kind::kExponentiatedGradient, "", Defaults, 1000, 2e-4, 1e-5},
    {Kind::kExcessiveGap, "", Defaults, 1000, 3e-4, 6e-5},
    {Kind::kExtragradient, "", Defaults, 1000, 0.005, 1.2e-4},
    {Kind::kDlpw, "", Defaults, 1000, 0.12, 0.25},
    {Kind::kProxSdca, "1", [](TrainOptions* o) { o->own<ProxSdcaOptions>().sdca_step = 1; }, 1000,
     0.003, 0.002},
    {Kind::kProxSdca, "2", Weighted, 1000, 0.015, 0.02},
    {Kind::kProxSdca, "3", [](TrainOptions* o) { o->own<ProxSdcaOptions>().sdca_step = 3; }, 1000,
     0.08, 0.55},
    {Kind::kProxSdca, "4", [](TrainOptions* o) { o->own<ProxSdcaOptions>().sdca_step = 4; }, 1000,
     0.09, 0.6},
    {Kind::kMultiSample, "revisit",
     [](TrainOptions* o) { o->own<MultiSampleOptions>().revisit = true; }, 1000, 0.01, 0.006},
    {Kind::kMultiSample, "online", Weighted, 1000, 0.035, 0.06},
};

/// Learners that solve another problem, whose distance from this one is known. They have test cases
/// of their own.
const Kind kBiased[] = {Kind::kSoft, Kind::kSmoothDlpw};

TrainOptions OptionsOf(const Row& row, SolverKind oracle) {
  TrainOptions options = Options(row.learner, StepKind::kAuto, 0);
  options.gap_tolerance = row.primal == kConverged ? 0.3 * kConverged : 0;
  options.max_passes = row.passes;
  if (UsesOracle(row.learner)) options.oracle = oracle;
  row.set(&options);
  return options;
}

/// Multi-label models and random graphs, both with cycles, of four variables.
TrainingSet LoopyProblem(Random& random, int trial) {
  if (trial % 2 == 0) return RandomMultiLabelProblem(random, 4, 4, 2, true);
  return RandomProblem(random, {.max_states = 2 + trial % 3 / 2,
                                .num_factors = 12,
                                .max_order = 2 + trial % 4 / 3,
                                .tied_weights = trial % 4 == 1});
}

/// exact: the optimum over labellings; relaxed: the optimum over the local polytopes.
void CheckRow(const Row& row, const Problem& problem, SolverKind oracle, double exact,
              double relaxed) {
  CAPTURE(Name(row.learner));
  CAPTURE(row.variant);
  const TrainOptions options = OptionsOf(row, oracle);
  if (UsesMarginals(row.learner) && !AllGraphs(problem, IsForest)) {
    CHECK_THROWS_WITH_AS(MakeLearner(problem, options),
                         doctest::Contains("exist only on graphs without cycles"), DataError);
    return;
  }
  if (IsKernelized(row.learner) && !HasInputs(problem)) {
    CHECK_THROWS_WITH_AS(MakeLearner(problem, options), doctest::Contains("no input vectors"),
                         DataError);
    return;
  }
  const TrainSummary summary = Train(problem, options);
  const double optimum = summary.last.problem == CertifiedProblem::kExact ? exact : relaxed;
  const double unit = std::max(0.1, optimum);
  const double room = kSolver * std::max(1.0, optimum);
  CAPTURE(optimum);
  CAPTURE(summary.message);
  CHECK(summary.last.dual <= optimum + room);
  CHECK(summary.last.primal >= optimum - room);
  CHECK(summary.last.primal <= optimum + row.primal * unit);
  CHECK(summary.last.dual >= optimum - row.dual * unit);
}

}  // namespace

TEST_CASE("every learner has a row") {
  std::set<Kind> rows(std::begin(kBiased), std::end(kBiased));
  for (const Row& row : kRows) rows.insert(row.learner);
  for (const Kind learner : AllLearners()) {
    CAPTURE(Name(learner));
    CHECK(rows.count(learner) == 1);
  }
}

TEST_CASE("on forests all learners reach one optimum") {
  Random random(71);
  for (int trial = 0; trial < Trials(10); ++trial) {
    const double lambda = trial % 2 == 0 ? 0.3 : 0.1;
    const Problem problem(ForestProblem(random, trial), lambda);
    REQUIRE(AllGraphs(problem, IsForest));
    const double exact = ExactOptimum(problem.training(), lambda);
    CHECK(Near(exact, RelaxedOptimum(problem.training(), lambda), kSolver));
    CAPTURE(trial);
    for (const Row& row : kRows) CheckRow(row, problem, SolverKind::kAuto, exact, exact);
  }
}

TEST_CASE("with cycles learners reach the optimum of their domain") {
  Random random(72);
  for (int trial = 0; trial < Trials(8); ++trial) {
    const double lambda = trial % 4 < 2 ? 0.3 : 0.1;
    const Problem problem(LoopyProblem(random, trial), lambda);
    REQUIRE_FALSE(AllGraphs(problem, IsForest));
    const double exact = ExactOptimum(problem.training(), lambda);
    const double relaxed = RelaxedOptimum(problem.training(), lambda);
    CAPTURE(trial);
    const SolverKind oracle = trial % 4 == 0 ? SolverKind::kRoof : SolverKind::kBruteForce;
    for (const Row& row : kRows) CheckRow(row, problem, oracle, exact, relaxed);
  }
}

TEST_CASE("soft reaches its penalised optimum, which is larger and falls with rho") {
  Random random(73);
  for (int trial = 0; trial < Trials(8); ++trial) {
    const bool cycles = trial % 2 == 0;
    const Problem problem(cycles ? LoopyProblem(random, trial) : ForestProblem(random, trial), 0.2);
    const double optimum = RelaxedOptimum(problem.training(), 0.2);
    double before = kInfinity;
    for (const double rho : {2.0, 0.5, 0.1}) {
      const double penalized = SoftOptimum(problem.training(), 0.2, rho);
      TrainOptions options = Options(Kind::kSoft, StepKind::kPairwise, 0.3 * kConverged);
      options.own<PenaltyOptions>().rho = rho;
      const Run run = TrainOn(problem, options, optimum, penalized);
      CAPTURE(trial);
      CAPTURE(rho);
      CheckConverged(run);
      CHECK(Near(run.summary.last.soft_primal, penalized, kConverged));
      CHECK(Near(run.summary.last.soft_dual, penalized, kConverged));
      // G* ≤ G(w) ≤ g(w, δ) ≤ G_ρ* at the soft solution, which bounds the bias.
      CHECK(optimum <= penalized + kSolver);
      CHECK(RelaxedPrimal(problem.training(), 0.2, run.summary.weights) <= penalized + kConverged);
      CHECK(penalized <= before + kSolver);
      before = penalized;
    }
  }
}

TEST_CASE("smoothed messages come as near as their bias allows") {
  Random random(74);
  for (int trial = 0; trial < Trials(6); ++trial) {
    const bool cycles = trial % 2 == 0;
    const Problem problem(cycles ? LoopyProblem(random, trial) : ForestProblem(random, trial), 0.2);
    const double optimum = RelaxedOptimum(problem.training(), 0.2);
    double entropy = 0;  // mean of Σ_a log K_a
    for (Index m = 0; m < problem.size(); ++m) {
      const FactorGraph& graph = problem.data().example(m).graph();
      for (Index a = 0; a < graph.num_parts(); ++a)
        entropy += std::log(graph.num_states(a)) / problem.size();
    }
    for (const double temperature : {0.1, 0.003}) {
      TrainOptions options = Options(Kind::kSmoothDlpw, StepKind::kAuto, 0);
      options.smoothing = temperature;
      options.max_passes = 1000;
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(temperature);
      CHECK(run.sound);
      // Each bound has at most this bias. The last term is what steps η/t leave after 1000 passes.
      const double unit = std::max(0.1, optimum);
      CHECK(run.summary.last.primal <= optimum + temperature * entropy + 0.02 * unit);
      CHECK(run.summary.last.dual >= optimum - temperature * entropy - 0.05 * unit);
    }
  }
}

namespace {

struct SlackWay {
  TrainOptions options;
  double distance = kConverged;  // of both bounds from the optimum, relative to max(0.1, it)
};

/// Every learner that rescales by slacks, with every kind of step.
std::vector<SlackWay> SlackWays(int trial) {
  std::vector<SlackWay> ways;
  const auto add = [&](Kind learner, double distance, Index passes) -> TrainOptions& {
    ways.push_back({Options(learner, StepKind::kAuto, 0.3 * distance), distance});
    ways.back().options.absolute_gap = 0.03 * distance;
    ways.back().options.max_passes = passes;
    ways.back().options.rescaling = Rescaling::kSlack;
    return ways.back().options;
  };
  for (const Kind learner :
       {Kind::kCuttingPlane1, Kind::kCuttingPlaneN, Kind::kBundle, Kind::kAuto})
    add(learner, kConverged, 3000);
  for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
    TrainOptions& options = add(Kind::kBcfw, kConverged, 3000);
    options.step = step;
    options.shards = 1 + trial % 2;
    if (step == StepKind::kPairwise) options.order = OrderKind::kGap;
  }
  for (const Index shards : {1, 2}) {
    for (const Kind learner : {Kind::kBcfw, Kind::kProxSdca})
      add(learner, 0.01, 3000).shards = shards;
  }
  add(Kind::kFrankWolfe, 0.01, 3000);
  add(Kind::kBcfw, 0.01, 1000).average = AverageKind::kWeighted;
  for (const Index step : {1, 3, 4})
    add(Kind::kProxSdca, step == 1 ? 0.01 : 0.5, 1000).own<ProxSdcaOptions>().sdca_step = step;
  add(Kind::kSubgradient, 0.1, 500).average = AverageKind::kWeighted;
  for (const bool revisit : {false, true})
    add(Kind::kMultiSample, 0.1, 500).own<MultiSampleOptions>().revisit = revisit;
  return ways;
}

}  // namespace

TEST_CASE("all learners with an oracle reach the optimum of slack rescaling") {
  Random random(75);
  for (int trial = 0; trial < Trials(4); ++trial) {
    const bool cycles = trial % 2 == 0;
    const Problem problem(cycles ? LoopyProblem(random, trial) : ForestProblem(random, trial), 0.1);
    const double optimum = SolveSlackRescaled(problem.training(), 0.1).value;
    for (const SlackWay& way : SlackWays(trial)) {
      const std::string name = Describe(way.options);
      const Run run = TrainOn(problem, way.options, optimum);
      CAPTURE(trial);
      CAPTURE(name);
      CHECK(run.sound);
      CHECK(run.summary.last.problem == CertifiedProblem::kExact);
      CHECK(Near(run.summary.last.primal,
                 SlackRescaledPrimal(problem.training(), 0.1, run.summary.weights), kTight));
      const double room = way.distance * std::max(0.1, optimum);
      CHECK(run.summary.last.primal <= optimum + room);
      CHECK(run.summary.last.dual >= optimum - room);
    }
  }
}

TEST_CASE("proximal dual ascent converges linearly where the smoothed maximum is a projection") {
  Random random(76);
  for (int trial = 0; trial < Trials(6); ++trial) {
    const Problem problem(ForestProblem(random, 3), 0.2);  // variables without factors
    const double l1 = trial % 3 == 0 ? 0.0 : 0.01;
    const double exact = ExactOptimum(problem.training(), 0.2);
    const double optimum = SolveProx(problem.training(), 0.2, l1, 0.2).value;
    double bias = 0;  // γ/2 Σ_i (1 − 1/K_i)
    for (Index m = 0; m < problem.size(); ++m) {
      const FactorGraph& graph = problem.data().example(m).graph();
      for (Index i = 0; i < graph.num_variables(); ++i)
        bias += 0.5 * 0.2 * (1 - 1.0 / graph.cardinality(i)) / problem.size();
    }
    CHECK(exact <= optimum + kSolver);
    if (l1 == 0) CHECK(optimum <= exact + bias + kSolver);
    for (const Index step : {1, 2, 3, 4, 5}) {
      TrainOptions options = Options(Kind::kProxSdca, StepKind::kAuto, 0.3 * kConverged);
      options.own<ProxSdcaOptions>().sdca_step = step;
      options.smoothing = 0.2;
      options.l1 = l1;
      options.max_passes = 5000;  // the error falls by a factor of about 1 − λγM/R² a pass
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(step);
      CheckConverged(run, optimum, kConverged);
      CHECK(Near(run.summary.last.dual, optimum, kConverged));
    }
  }
}
