// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/extragradient.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/forest_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline;
using namespace slackline::test;

TEST_CASE("ExtragradientComesNearTheOptimumOfThePrograms") {
  Random random(1);
  for (int trial = 0; trial < 15; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.3 : 0.1;
    const Problem problem(ForestProblem(random, trial), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    TrainOptions options = Options(LearnerKind::kExtragradient, StepKind::kAuto, 1e-3);
    options.max_passes = 2000;
    const Run run = TrainOn(problem, options, optimum);
    CAPTURE(trial);
    CAPTURE(run.summary.message);
    CHECK(run.sound);
    CHECK(run.summary.termination == Termination::kConverged);
    CHECK(Near(run.summary.last.primal, optimum, 1e-3));
    CHECK(Near(run.summary.last.dual, optimum, 1e-3));
  }
}

TEST_CASE("AStepTakesTwoSweepsUnlessItIsTooLong") {
  Random random(2);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, false), 0.05);
  const auto learner =
      MakeExtragradientLearner(problem, Options(LearnerKind::kExtragradient, StepKind::kAuto, 0));
  const StopControl stop(nullptr, 0);
  learner->RunPass(stop);
  const std::int64_t start = learner->work().oracle_calls;
  for (int pass = 0; pass < 100; ++pass) learner->RunPass(stop);
  const std::int64_t calls = learner->work().oracle_calls - start;
  CHECK(calls % 12 == 0);
  CHECK(calls >= 100 * 12);
  // β is halved about once in the seven passes in which it doubles.
  CHECK(calls <= 130 * 12);
  CHECK(learner->work().block_steps == 101 * 6);
}

TEST_CASE("ALargeRegulariserIsSolvedInAFewSteps") {
  // There the saddle point lies next to the corners of the largest losses, and F hardly turns.
  Random random(3);
  for (int trial = 0; trial < 5; ++trial) {
    const Problem problem(ForestProblem(random, trial), 1e4);
    TrainOptions options = Options(LearnerKind::kExtragradient, StepKind::kAuto, 1e-2);
    options.max_passes = 200;
    const Run run = TrainOn(problem, options, ExactOptimum(problem.training(), 1e4));
    CAPTURE(trial);
    CHECK(run.sound);
    CHECK(run.summary.termination == Termination::kConverged);
  }
}
