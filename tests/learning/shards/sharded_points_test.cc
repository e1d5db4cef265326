// SPDX-License-Identifier: BSD-3-Clause
//
// Learners with one point per example in shards: certificates, monotone duals, one optimum whatever
// the number of shards, and the same bits whatever the number of threads.
#include <slackline/learning/shards/sharded_points.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>

#include "tests/support/learner_checks.h"
#include "tests/support/multiclass_problems.h"
#include "tests/support/prox_reference.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr LearnerKind kPointKinds[] = {LearnerKind::kBcfw, LearnerKind::kProxSdca};

TrainOptions PointShards(LearnerKind learner, Index shards) {
  TrainOptions options{.learner = learner};
  if (learner == LearnerKind::kBcfw) options.step = StepKind::kFrankWolfe;
  options.shards = shards;
  return options;
}
/// prox-sdca with these terms.
TrainOptions ProxShards(Index shards, double l1, double smoothing, Index step = 2) {
  TrainOptions options = PointShards(LearnerKind::kProxSdca, shards);
  options.l1 = l1;
  options.smoothing = smoothing;
  options.own<ProxSdcaOptions>().sdca_step = step;
  return options;
}

/// Chains with few labellings, for SolveProx.
TrainingSet ShortChains(Random& random, Index examples) {
  return RandomMultiLabelProblem(random, examples, 3, 2, false);
}

std::unique_ptr<RoundLearner> MakeRounds(const Problem& problem, const TrainOptions& options) {
  if (options.learner == LearnerKind::kBcfw) return MakeShardedBcfwLearner(problem, options);
  return MakeShardedProxSdcaLearner(problem, options);
}

}  // namespace

TEST_CASE("evaluations are those of the weights and of the dual point, around the optimum") {
  Random random(1);
  for (const LearnerKind kind : kPointKinds) {
    for (const Index shards : {2, 3, 12, 100}) {
      const Problem problem = DenseProblem(random);
      TrainOptions options = PointShards(kind, shards);
      if (shards == 3) options.order = OrderKind::kUniform;
      const double optimum = SolveRelaxed(problem.training(), problem.lambda()).value;
      CAPTURE(kind.name());
      CAPTURE(shards);
      CheckPasses(problem, options, optimum, 8);
    }
  }
}

TEST_CASE("all numbers of shards reach the optimum") {
  Random random(2);
  for (int trial = 0; trial < 3; ++trial) {
    ProblemOptions kind = RandomOptions(random);
    kind.num_examples = 4;
    kind.forest = true;
    const Problem problem(RandomProblem(random, kind), 0.1);
    const double optimum = SolveExact(problem.training(), problem.lambda()).value;
    for (const LearnerKind learner : kPointKinds) {
      for (const Index shards : {1, 2, 4}) {
        TrainOptions options =
            With(PointShards(learner, shards), "--oracle tree --gap-tolerance 1e-3");
        const TrainSummary summary = Train(problem, options);
        CAPTURE(learner.name());
        CAPTURE(shards);
        CHECK(summary.termination == Termination::kConverged);
        CHECK(summary.last.primal >= optimum - kSolver);
        CHECK(summary.last.dual <= optimum + kSolver);
      }
    }
  }
}

TEST_CASE("the dual never falls, even where shards repeat each other's steps") {
  Random random(3);
  for (const Index shards : {2, 4, 8}) {
    const Problem repeated(
        RandomProblem(random, {.num_examples = 8, .forest = true, .repeat_examples = true}), 0.01);
    std::vector<TrainOptions> ways;
    for (const LearnerKind learner : kPointKinds) ways.push_back(PointShards(learner, shards));
    for (const Index step : {1, 2, 3, 4}) {
      ways.push_back(ProxShards(shards, 0.01, 0, step));
      ways.push_back(ProxShards(shards, 0, 0.1, step));
      ways.push_back(ProxShards(shards, 0.01, 0.1, step));
    }
    for (TrainOptions& options : ways) {
      CAPTURE(shards);
      CAPTURE(options.learner.name());
      CAPTURE(options.l1);
      CAPTURE(options.smoothing);
      CheckDualNeverFalls(DenseProblem(random, 24), options, 20, kExact);
      CheckDualNeverFalls(TextProblem(random, 300, 6), options, 6, kExact);
      CheckDualNeverFalls(repeated, options, 20, kExact);
    }
  }
}

TEST_CASE("the common weights are those of the dual point after every pass") {
  Random random(14);
  for (const LearnerKind kind : kPointKinds) {
    for (const Index shards : {2, 3, 8}) {
      for (const bool texts : {false, true}) {
        const Problem problem = texts ? TextProblem(random, 300, 6) : DenseProblem(random, 60);
        const auto learner = MakeRounds(problem, PointShards(kind, shards));
        for (int pass = 0; pass < 5; ++pass) {
          learner->RunPass(kNever);
          double losses = 0;
          const std::vector<double> weights = WeightsOfDualPoint(problem, *learner, &losses);
          CAPTURE(kind.name());
          CAPTURE(shards);
          CAPTURE(texts);
          CAPTURE(pass);
          CHECK(LargestDifference(weights, learner->reached()) <= kTight);
        }
      }
    }
  }
}

TEST_CASE("the dual rises by what the line searches computed") {
  Random random(16);
  std::vector<TrainOptions> ways;
  for (const LearnerKind kind : kPointKinds) ways.push_back(PointShards(kind, 3));
  ways.push_back(ProxShards(3, 0, 0.5));
  ways.push_back(ProxShards(3, 0.002, 0));
  ways.push_back(ProxShards(3, 0.002, 0.5));
  for (const TrainOptions& options : ways) {
    for (const bool texts : {false, true}) {
      const Problem problem = texts ? TextProblem(random, 300, 6) : DenseProblem(random, 60);
      const auto learner = MakeRounds(problem, options);
      double dual = 0;
      for (int pass = 0; pass < 4; ++pass) {
        const double before = learner->gained();
        learner->RunPass(kNever);
        const double next = learner->Evaluate(1).dual;
        const double gained = learner->gained() - before;
        CAPTURE(options.learner.name());
        CAPTURE(options.l1);
        CAPTURE(options.smoothing);
        CAPTURE(texts);
        CHECK(gained > 0);
        if (options.l1 == 0) CHECK(Near(next - dual, gained, kTight));
        CHECK(next - dual >= gained - kTight);
        dual = next;
      }
    }
  }
}

TEST_CASE("passes with shards are worth a third of passes with one, or more") {
  Random random(17);
  std::vector<TrainOptions> ways;
  for (const LearnerKind kind : kPointKinds) ways.push_back(PointShards(kind, 1));
  ways.push_back(ProxShards(1, 0.001, 0));
  for (const TrainOptions& options : ways) {
    CAPTURE(options.l1);
    CheckPassesOfShards(DenseProblem(random, 200), With(options, "--gap-tolerance 0.1"), 3);
    CheckPassesOfShards(TextProblem(random, 300, 6), With(options, "--gap-tolerance 0.3"), 3);
  }
}

TEST_CASE("elastic net and smoothed hinges reach the optimum of a quadratic program") {
  Random random(4);
  for (int trial = 0; trial < 9; ++trial) {
    const TrainingSet training = ShortChains(random, 4 + trial % 3);
    const double l1 = trial % 3 == 0 ? 0.0 : 0.01 * (1 + trial % 4);
    const double smoothing = trial % 3 == 1 ? 0.0 : 0.2;
    const Problem problem(training, 0.2);
    const Optimum optimum = SolveProx(training, 0.2, l1, smoothing);
    for (const Index step : {1, 2, 3, 4}) {
      TrainOptions options = ProxShards(2 + trial % 2, l1, smoothing, step);
      options.oracle = SolverKind::kBruteForce;
      options.gap_tolerance = step <= 2 ? 5e-3 : 5e-2;
      options.max_passes = 3000;
      const TrainSummary summary = Train(problem, options);
      CAPTURE(trial);
      CAPTURE(step);
      CAPTURE(summary.message);
      CHECK(summary.termination == Termination::kConverged);
      CHECK(summary.last.primal >= optimum.value - kSolver);
      CHECK(summary.last.dual <= optimum.value + kSolver);
    }
  }
}

TEST_CASE("examples without factors use the gradient of the smoothed loss") {
  Random random(5);
  const MulticlassProblem multiclass = RandomMulticlassProblem(random, 12, 3, 4);
  for (const double l1 : {0.0, 0.05}) {
    const Problem problem(multiclass.training, 0.1);
    const Optimum optimum = SolveProx(multiclass.training, 0.1, l1, 0.3);
    for (const Index step : {2, 5}) {
      TrainOptions options = With(ProxShards(3, l1, 0.3, step), "--gap-tolerance 1e-8");
      const TrainSummary summary = Train(problem, options);
      CAPTURE(l1);
      CAPTURE(step);
      CHECK(summary.termination == Termination::kConverged);
      CHECK(Near(summary.last.primal, optimum.value, kSolver));
    }
  }
}

TEST_CASE("the same bits for every number of threads, and every time") {
  Random random(6);
  for (const LearnerKind kind : kPointKinds) {
    for (const Index shards : {2, 7}) {
      CheckReplay(DenseProblem(random, 20), PointShards(kind, shards), 6);
      CheckReplay(TextProblem(random, 300, 6), PointShards(kind, shards), 3);
    }
  }
  CheckReplay(TextProblem(random, 300, 6), ProxShards(3, 0.001, 0.1), 4);
}

TEST_CASE("a run is resumed, and taken over by another learner, bit for bit") {
  Random random(7);
  const Problem dense = DenseProblem(random, 30);
  const Problem texts = TextProblem(random, 300, 6);
  std::vector<TrainOptions> ways;
  for (const LearnerKind kind : kPointKinds) ways.push_back(PointShards(kind, 3));
  ways.push_back(ProxShards(3, 0.002, 0.1));
  for (const TrainOptions& options : ways) {
    CAPTURE(options.learner.name());
    CheckResume(dense, options);
    CheckTakeOver(dense, options, {.before = 66});
    CheckTakeOver(texts, options);
    CheckTakeOver(texts, options, {.prepare = [](Learner& learner) { learner.Evaluate(1); }});
  }
}

TEST_CASE("λ can change between passes") {
  Random random(9);
  for (const LearnerKind kind : kPointKinds) {
    for (const double lambda : {0.1, 0.01}) {
      const Problem first = DenseProblem(random, 20);
      const Problem second = first.WithLambda(lambda);
      const double optimum = SolveRelaxed(second.training(), second.lambda()).value;
      CAPTURE(kind.name());
      CAPTURE(lambda);
      CheckPath(first, second, PointShards(kind, 3), optimum, 10, 100, 0.15);
      CheckChangeLambda(first, PointShards(kind, 3), lambda, optimum, 0, 100, 0.15);
    }
  }
  const TrainingSet training = ShortChains(random, 6);
  const Problem first(training, 1.0);
  const double optimum = SolveProx(training, 0.1, 0.02, 0.1).value;
  TrainOptions options = With(ProxShards(3, 0.02, 0.1), "--oracle brute-force");
  CHECK(CheckPath(first, first.WithLambda(0.1), options, optimum, 20, 300, 0.05).dual >= -kExact);
}

TEST_CASE("another solver confirms certificates") {
  Random random(10);
  for (const LearnerKind kind : kPointKinds)
    CheckVerifies(DenseProblem(random, 20), PointShards(kind, 4));
  CheckVerifies(Problem(ShortChains(random, 6), 0.1), ProxShards(2, 0.02, 0));
}

TEST_CASE("problems of extreme shapes") {
  for (const LearnerKind kind : kPointKinds) CheckUnpleasantProblems(PointShards(kind, 3));
  CheckUnpleasantProblems(ProxShards(2, 0.01, 0.1));
}

TEST_CASE("an interrupt in the middle of a pass leaves a point with a certificate") {
  Random random(11);
  const Problem problem = TextProblem(random, 300, 6);
  for (const LearnerKind kind : kPointKinds)
    CheckInterruptedPasses(problem, PointShards(kind, 3), true);
}

TEST_CASE("counts and notes are those of all shards") {
  Random random(12);
  const Problem problem = DenseProblem(random, 30);
  for (const LearnerKind kind : kPointKinds) {
    TrainOptions options = ProxShards(3, kind == LearnerKind::kProxSdca ? 0.01 : 0, 0);
    options.learner = kind;
    options.step = kind == LearnerKind::kBcfw ? StepKind::kFrankWolfe : StepKind::kAuto;
    Set(&options, "--gap-tolerance 0 --max-passes 4");
    const TrainSummary summary = Train(problem, options);
    CAPTURE(kind.name());
    CHECK(summary.last.oracle_calls == 4 * problem.size());
    CHECK(summary.last.block_steps == 4 * problem.size());
    CHECK(summary.last.rounds >= 4);
    CHECK(summary.last.critical_seconds > 0);
    CHECK((summary.notes.size() == 1) == (kind == LearnerKind::kProxSdca));
  }
}

TEST_CASE("options that do not go with shards are refused") {
  Random random(13);
  const Problem problem = DenseProblem(random);
  const auto refusal = [&](LearnerKind learner, const std::string& text) {
    return RefusalOf(problem, With(PointShards(learner, 2), text));
  };
  const std::string excluded = "--shards cannot be combined with ";
  for (const LearnerKind kind : kPointKinds)
    CHECK(Contains(refusal(kind, "--average weighted"), excluded + "--average"));
  CHECK(Contains(refusal(LearnerKind::kBcfw, "--fixed-step on"), excluded + "--fixed-step"));
  CHECK(Contains(refusal(LearnerKind::kProxSdca, "--random-output on"),
                 excluded + "--random-output"));
  CHECK(Contains(refusal(LearnerKind::kSubgradient, ""), "--shards"));
}
