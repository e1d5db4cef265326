// SPDX-License-Identifier: BSD-3-Clause
//
// Factor blocks in shards: certificates, monotone penalized duals, one optimum whatever the number
// of shards, and the same bits whatever the number of threads.
#include <slackline/learning/shards/sharded_factor_blocks.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>

#include "tests/support/global_problems.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr LearnerKind kFactorKinds[] = {LearnerKind::kSoft, LearnerKind::kAugmentedLagrangian};

TrainOptions FactorShards(LearnerKind learner, Index shards) {
  return {.learner = learner, .shards = shards};
}
TrainOptions Soft(Index shards, double smoothing = 0) {
  TrainOptions options = With(FactorShards(LearnerKind::kSoft, shards), "--rho 0.7");
  options.smoothing = smoothing;
  return options;
}

/// Problems whose weights are all frequent, with pairs.
Problem DensePairProblem(Random& random, Index examples = 12) {
  return Problem(RandomMultiLabelProblem(random, examples, 5, 3, true, 2), 0.02);
}

/// soft and al, with the options that change their passes.
std::vector<TrainOptions> FactorWays(Index shards) {
  std::vector<TrainOptions> ways = {Soft(shards), Soft(shards, 0.1),
                                    FactorShards(LearnerKind::kAugmentedLagrangian, shards)};
  TrainOptions options =
      With(Soft(shards), "--step fw --order uniform --rho-final 0.2 --rho-passes 5");
  ways.push_back(options);
  options = Soft(shards);
  options.proximal = Switch::kOn;
  ways.push_back(options);
  options = FactorShards(LearnerKind::kAugmentedLagrangian, shards);
  Set(&options, "--order uniform --proximal off");
  ways.push_back(options);
  Set(&options, "--order example --shrinking off --tau 0.5");
  ways.push_back(options);
  return ways;
}

}  // namespace

TEST_CASE("the bounds hold after every pass, and the dual is that of the dual point") {
  Random random(1);
  for (int trial = 0; trial < 6; ++trial) {
    ProblemOptions kind = RandomOptions(random);
    kind.num_examples = 4;
    const Problem problem(
        trial % 2 == 0 ? DensePairProblem(random, 4).training() : RandomProblem(random, kind),
        0.05);
    const double relaxed = SolveRelaxed(problem.training(), problem.lambda()).value;
    for (const TrainOptions& options : FactorWays(2 + trial % 3)) {
      const auto learner = MakeLearner(problem, options);
      learner->traits().dual_point->KeepDualPoint();
      for (int pass = 0; pass < 6; ++pass) {
        if (pass > 0) learner->RunPass(kNever);
        const Evaluation evaluation = learner->Evaluate(1);
        CAPTURE(trial);
        CAPTURE(pass);
        CAPTURE(options.learner.name());
        const double room = kSolver * std::max(1.0, std::abs(relaxed));
        CHECK(evaluation.primal >= relaxed - room);
        CHECK(evaluation.dual <= relaxed + room);
        // Messages that are not the best ones give a larger bound.
        CHECK(evaluation.primal >=
              RelaxedPrimal(problem.training(), problem.lambda(), learner->weights()) - room);
        CHECK(learner->traits().dual_point->DualPointIsBest());
        CHECK(Near(evaluation.dual, ValueOfDualPoint(problem, *learner), kTight));
        if (options.learner != LearnerKind::kSoft) continue;
        const double soft =
            SolveSoft(problem.training(), problem.lambda(), evaluation.rho, options.smoothing)
                .value;
        CHECK(evaluation.soft_primal >= soft - room);
        CHECK(evaluation.soft_dual <= soft + room);
      }
    }
  }
}

TEST_CASE("all numbers of shards reach the optimum") {
  Random random(2);
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    const double relaxed = SolveRelaxed(problem.training(), problem.lambda()).value;
    for (const double smoothing : {0.0, 0.1}) {
      const double soft = SolveSoft(problem.training(), problem.lambda(), 0.7, smoothing).value;
      for (const Index shards : {1, 2, 3}) {
        TrainOptions options = With(Soft(shards, smoothing),
                                    "--gap-tolerance 1e-5 --absolute-gap 1e-5 --max-passes 30000");
        const Run run = TrainOn(problem, options, relaxed, soft);
        CAPTURE(trial);
        CAPTURE(shards);
        CheckConverged(run);
        CHECK(Near(run.summary.last.soft_dual, soft, 2e-5));
      }
    }
    for (const Index shards : {1, 2, 3}) {
      TrainOptions options = With(FactorShards(LearnerKind::kAugmentedLagrangian, shards),
                                  "--gap-tolerance 1e-4 --absolute-gap 1e-4 --max-passes 30000");
      const Run run = TrainOn(problem, options, relaxed);
      CAPTURE(trial);
      CAPTURE(shards);
      CheckConverged(run);
    }
  }
}

TEST_CASE("global factors: the bounds hold, and the optimum is that of one chain") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Problem problem(RandomGlobalProblem(seed, {}), 0.1);
    for (const LearnerKind kind : kFactorKinds) {
      for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
        TrainOptions options = FactorShards(kind, 1);
        options.step = step;
        options.gap_tolerance = options.absolute_gap = step == StepKind::kPairwise ? 1e-4 : 1e-2;
        options.max_passes = 20000;
        const TrainSummary alone = Train(problem, options);
        options.shards = 2;
        const TrainSummary together = Train(problem, options);
        CAPTURE(seed);
        CAPTURE(kind.name());
        CHECK(together.termination == Termination::kConverged);
        CHECK(together.last.dual <= alone.last.primal + kSolver);
        CHECK(together.last.primal >= alone.last.dual - kSolver);
        if (kind != LearnerKind::kSoft) continue;
        CHECK(together.last.soft_dual <= alone.last.soft_primal + kSolver);
        CHECK(together.last.soft_primal >= alone.last.soft_dual - kSolver);
      }
    }
  }
}

TEST_CASE("the dual of soft rises by what the line searches computed, and never falls") {
  Random random(3);
  for (const Index shards : {2, 4, 8}) {
    const Problem repeated(RandomProblem(random, {.num_examples = 8, .repeat_examples = true}),
                           0.01);
    for (const Problem& problem :
         {DensePairProblem(random, 60), TextProblem(random, 300, 6), repeated}) {
      for (const double smoothing : {0.0, 0.1}) {
        for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
          TrainOptions options = Soft(shards, smoothing);
          options.step = step;
          if (shards == 4) options.order = OrderKind::kUniform;
          const auto learner = MakeShardedSoftLearner(problem, options);
          double dual = learner->Evaluate(1).soft_dual;
          double gained = learner->gained();
          for (int pass = 0; pass < 6; ++pass) {
            learner->RunPass(kNever);
            const double next = learner->Evaluate(1).soft_dual;
            CAPTURE(shards);
            CAPTURE(smoothing);
            CAPTURE(pass);
            CHECK(next >= dual - kExact);
            CHECK(Near(next - dual, learner->gained() - gained, kTight));
            dual = next;
            gained = learner->gained();
          }
        }
      }
    }
  }
}

TEST_CASE("the common weights are those of the point after every pass") {
  Random random(4);
  for (const Index shards : {2, 3, 8}) {
    for (const bool texts : {false, true}) {
      const Problem problem = texts ? TextProblem(random, 300, 6) : DensePairProblem(random, 60);
      for (TrainOptions options : FactorWays(shards)) {
        options.proximal =
            Switch::kOff;  // of al; then the certified weights are those of the point
        const auto learner = options.learner == LearnerKind::kSoft
                                 ? MakeShardedSoftLearner(problem, options)
                                 : MakeShardedLagrangianLearner(problem, options);
        for (int pass = 0; pass < 6; ++pass) {
          learner->RunPass(kNever);
          learner->Evaluate(1);
          CAPTURE(shards);
          CAPTURE(texts);
          CAPTURE(options.learner.name());
          CHECK(LargestDifference(learner->weights(), learner->reached()) <= kTight);
        }
      }
    }
  }
}

TEST_CASE("al visits the active pairs of shards only, as those of one chain, and converges") {
  Random random(5);
  const Problem problem(RandomMultiLabelProblem(random, 60, 10, 4, true, 3), 0.01);
  const auto steps_per_pass = [&](Index shards, Switch shrinking) {
    TrainOptions options = FactorShards(LearnerKind::kAugmentedLagrangian, shards);
    options.own<AugmentedLagrangianOptions>().shrinking = shrinking;
    Set(&options, "--gap-tolerance 1e-3 --max-passes 2000");
    const TrainSummary summary = Train(problem, options);
    CAPTURE(shards);
    CHECK(summary.termination == Termination::kConverged);
    return static_cast<double>(summary.last.block_steps) / summary.last.pass;
  };
  const double all = steps_per_pass(3, Switch::kOff);
  CHECK(all == 60 * 55);
  CHECK(steps_per_pass(1, Switch::kAuto) < 0.95 * all);
  CHECK(steps_per_pass(3, Switch::kAuto) < 0.95 * all);
}

TEST_CASE("passes with shards are worth a third of passes with one, or more") {
  Random random(6);
  for (const LearnerKind kind : kFactorKinds) {
    const TrainOptions options = With(FactorShards(kind, 1), "--gap-tolerance 0.1");
    CheckPassesOfShards(DensePairProblem(random, 200), options, 3);
    CheckPassesOfShards(TextProblem(random, 300, 6), options, 3);
  }
}

TEST_CASE("the same bits for every number of threads, and every time") {
  Random random(7);
  for (const Index shards : {2, 7}) {
    for (const TrainOptions& options : FactorWays(shards)) {
      CheckReplay(DensePairProblem(random, 20), options, 6);
      if (shards == 2) CheckReplay(TextProblem(random, 300, 6), options, 3);
    }
  }
}

TEST_CASE("a run is resumed, and taken over by another learner, bit for bit") {
  Random random(8);
  const Problem dense = DensePairProblem(random, 30);
  const Problem texts = TextProblem(random, 300, 6);
  const Problem globals(RandomGlobalProblem(3, {}), 0.1);
  for (const TrainOptions& options : FactorWays(3)) {
    CAPTURE(options.learner.name());
    CheckResume(dense, options);
    CheckTakeOver(dense, options, {.before = 66});
    CheckTakeOver(texts, options);
    const auto evaluate = [](Learner& learner) { learner.Evaluate(1); };
    CheckTakeOver(texts, options, {.prepare = evaluate});
    if (options.smoothing == 0) CheckTakeOver(globals, options, {.before = 7, .prepare = evaluate});
  }
}

TEST_CASE("the points behind the certificate are saved and loaded") {
  Random random(12);
  const Problem problem = DensePairProblem(random, 20);
  for (const TrainOptions& options : FactorWays(3)) {
    const auto first = MakeLearner(problem, options);
    first->traits().dual_point->KeepDualPoint();
    for (int pass = 0; pass < 4; ++pass) {
      first->RunPass(kNever);
      first->Evaluate(1);
    }
    const std::string state = StateOf(*first);
    for (const bool keeps : {true, false}) {
      const auto second = MakeLearner(problem, options);
      if (keeps) second->traits().dual_point->KeepDualPoint();
      LoadAll(state, *second);
      const DualPointSource& source = *second->traits().dual_point;
      CAPTURE(options.learner.name());
      CHECK(source.DualPointIsBest() == keeps);
      if (!keeps) continue;
      CHECK(ValueOfDualPoint(problem, *second) == ValueOfDualPoint(problem, *first));
      second->RunPass(kNever);
      const double dual = second->Evaluate(1).dual;
      CHECK(Near(dual, ValueOfDualPoint(problem, *second), kTight));
    }
  }
}

TEST_CASE("λ can change between passes") {
  Random random(9);
  for (const double lambda : {0.1, 0.01}) {
    const Problem first = DensePairProblem(random, 8);
    const Problem second = first.WithLambda(lambda);
    const double optimum = SolveRelaxed(second.training(), second.lambda()).value;
    CheckPath(first, second, FactorShards(LearnerKind::kAugmentedLagrangian, 3), optimum, 10, 200,
              0.3);
    const double soft = SolveSoft(second.training(), second.lambda(), 0.7).value;
    const auto learner = MakeLearner(first, Soft(3));
    for (int pass = 0; pass < 10; ++pass) learner->RunPass(kNever);
    learner->traits().lambda->ChangeLambda(second);
    CHECK(learner->work().block_steps == 0);
    CHECK(learner->work().rounds == 0);
    for (int pass = 0; pass < 300; ++pass) learner->RunPass(kNever);
    const Evaluation last = learner->Evaluate(1);
    CHECK(last.soft_primal >= soft - kSolver);
    CHECK(last.soft_dual <= soft + kSolver);
    CHECK(last.soft_primal - last.soft_dual < 0.1);
  }
}

TEST_CASE("another solver confirms certificates") {
  Random random(10);
  for (const TrainOptions& options : FactorWays(4))
    CheckVerifies(DensePairProblem(random, 20), options);
}

TEST_CASE("problems of extreme shapes") {
  Random random(13);
  for (int trial = 0; trial < 12; ++trial) {
    ProblemOptions kind = RandomHardOptions(random);
    kind.num_examples = 1 + trial % 4;
    const TrainingSet training = RandomProblem(random, kind);
    for (const double lambda : {1e-20, 0.1, 1e20}) {
      for (TrainOptions options : FactorWays(3)) {
        Set(&options, "--gap-tolerance 0 --absolute-gap 0 --max-passes 12");
        CAPTURE(trial);
        CAPTURE(lambda);
        CAPTURE(options.learner.name());
        CheckNumbers(Train(Problem(training, lambda), options));
      }
    }
  }
}

TEST_CASE("an interrupt in the middle of a pass leaves a point with a certificate") {
  Random random(11);
  const Problem problem = TextProblem(random, 300, 6);
  for (const TrainOptions& options : FactorWays(3)) CheckInterruptedPasses(problem, options, false);
}
