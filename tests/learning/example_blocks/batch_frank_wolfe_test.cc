// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/check.h>
#include <slackline/learning/example_blocks/batch_frank_wolfe.h>
#include <slackline/learning/example_blocks/subgradient.h>
#include <slackline/learning/train_loop.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions FwOptions(bool fixed_step, AverageKind average = AverageKind::kAuto) {
  TrainOptions options = Options(LearnerKind::kFrankWolfe, StepKind::kAuto, 0);
  options.absolute_gap = 0;
  options.oracle = SolverKind::kBruteForce;
  options.fixed_step = fixed_step;
  options.average = average;
  return options;
}

}  // namespace

TEST_CASE("every evaluation has sound bounds, with both steps and all averages") {
  Random random(71);
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.2);
    const double optimum = ExactOptimum(problem.training(), 0.2);
    for (const bool fixed : {false, true}) {
      for (const AverageKind average : {AverageKind::kOff, AverageKind::kUniform,
                                        AverageKind::kWeighted, AverageKind::kSuffix}) {
        CAPTURE(trial);
        CheckPasses(problem, FwOptions(fixed, average), optimum, 9);
      }
    }
  }
}

TEST_CASE("both steps reach the optimum of the oracle's domain") {
  Random random(72);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.5);
    for (const bool fixed : {false, true}) {
      TrainOptions options = FwOptions(fixed);
      options.gap_tolerance = options.absolute_gap = 1e-2;
      const Run exact = TrainOn(problem, options, ExactOptimum(problem.training(), 0.5));
      CAPTURE(trial);
      CAPTURE(exact.summary.message);
      CHECK(exact.sound);
      CHECK(exact.summary.termination == Termination::kConverged);
      CHECK(exact.summary.last.problem == CertifiedProblem::kExact);
    }
    if (trial % 4 != 0) continue;  // binary variables: the relaxed problem, by roof duality
    TrainOptions options = FwOptions(false);
    options.oracle = SolverKind::kRoof;
    options.gap_tolerance = options.absolute_gap = 1e-2;
    const Run relaxed = TrainOn(problem, options, RelaxedOptimum(problem.training(), 0.5));
    CHECK(relaxed.sound);
    CHECK(relaxed.summary.last.problem == CertifiedProblem::kRelaxed);
    CHECK(relaxed.summary.termination == Termination::kConverged);
  }
}

TEST_CASE("the dual never falls with line search") {
  Random random(73);
  const Problem problem(RandomMultiLabelProblem(random, 12, 4, 3, true), 0.02);
  CheckDualNeverFalls(problem, FwOptions(false), 200, kExact);
}

TEST_CASE("evaluations make no additional oracle calls") {
  Random random(74);
  const Problem problem(RandomMultiLabelProblem(random, 7, 4, 3, true), 0.1);
  const auto learner = MakeLearner(problem, FwOptions(false));
  for (int pass = 1; pass <= 5; ++pass) {
    learner->RunPass(kNever);
    learner->Evaluate(1);
    CHECK(learner->work().oracle_calls == 7 * (pass + 1));
    CHECK(learner->work().block_steps == 7 * pass);
  }
}

TEST_CASE("a pass that is cut short leaves a valid state") {
  Random random(75);
  const Problem problem(RandomMultiLabelProblem(random, 7, 4, 3, true), 0.1);
  const double optimum = ExactOptimum(problem.training(), 0.1);
  const auto learner = MakeLearner(problem, FwOptions(false));
  std::atomic<int> interrupt{SIGINT};
  const StopControl at_once(&interrupt, 0);
  learner->RunPass(at_once);
  CHECK(learner->Evaluate(1).dual == 0);
  for (int pass = 0; pass < 4; ++pass) learner->RunPass(kNever);
  learner->RunPass(at_once);
  const Evaluation cut = learner->Evaluate(1);
  CHECK(cut.primal >= optimum - kSolver);
  CHECK(Near(cut.dual, ValueOfDualPoint(problem, *learner), kTight));
  // The step was made; only the oracle calls are missing, which the next pass makes.
  const auto whole = MakeLearner(problem, FwOptions(false));
  for (int pass = 0; pass < 6; ++pass) whole->RunPass(kNever);
  learner->RunPass(kNever);
  CHECK(learner->Evaluate(1).dual == whole->Evaluate(1).dual);
}

TEST_CASE("Frank-Wolfe runs replay for any number of threads, and resume") {
  Random random(76);
  const Problem binary(RandomMultiLabelProblem(random, 40, 5, 3, true), 0.02);
  const Problem general(SomeProblem(random, 1), 0.1);
  for (const bool fixed : {false, true}) {
    TrainOptions options = FwOptions(fixed, fixed ? AverageKind::kWeighted : AverageKind::kSuffix);
    CheckReplay(binary, options);
    CheckResume(binary, options);
    options.oracle = SolverKind::kMessages;  // has a state for every example
    CheckReplay(general, options);
    CheckResume(general, options);
  }
}

TEST_CASE("Frank-Wolfe continues with another lambda") {
  Random random(77);
  const Problem problem(RandomMultiLabelProblem(random, 10, 4, 3, true), 0.5);
  CheckChangeLambda(problem, FwOptions(false), 0.2, ExactOptimum(problem.training(), 0.2), 1e-3,
                    300, 1e-2);
  // The first fixed step has length 1, which discards the start.
  CheckChangeLambda(problem, FwOptions(true), 0.2, ExactOptimum(problem.training(), 0.2), 1e-3, 300,
                    3e-2);
}

TEST_CASE("Frank-Wolfe certificates are verified") {
  Random random(78);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.05);
    for (const bool fixed : {false, true}) CheckVerifies(problem, FwOptions(fixed));
  }
}

TEST_CASE("Frank-Wolfe has finite, sound bounds on unpleasant problems") {
  for (const bool fixed : {false, true})
    CheckUnpleasantProblems(FwOptions(fixed, AverageKind::kWeighted));
}

TEST_CASE("Frank-Wolfe refuses orders and other steps") {
  Random random(79);
  const Problem problem(RandomMultiLabelProblem(random, 3, 3, 2, true), 0.1);
  TrainOptions options = FwOptions(false);
  options.order = OrderKind::kUniform;
  CHECK_THROWS_AS(Train(problem, options), DataError);
  options.order = OrderKind::kAuto;
  options.step = StepKind::kPairwise;
  CHECK_THROWS_AS(Train(problem, options), DataError);
  options.step = StepKind::kAuto;
  options.own<SubgradientOptions>().projection = true;
  CHECK_THROWS_AS(Train(problem, options), DataError);
}
