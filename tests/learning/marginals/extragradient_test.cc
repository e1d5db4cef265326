// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/marginals/extragradient.h>

#include <doctest/doctest.h>

#include "tests/support/forest_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("extragradient comes near the optimum of quadratic programs") {
  CheckComesNear(LearnerKind::kExtragradient, {1.0, 0.3, 0.1}, 1e-3);
}

TEST_CASE("a step takes two sweeps unless it is too long") {
  // β is halved about once in the seven passes in which it doubles.
  CheckSweeps(LearnerKind::kExtragradient, 100, 2, 260, 2);
}

TEST_CASE("problems with a large regulariser are solved in a few steps") {
  // The saddle point is close to the corners of the largest losses, where F is nearly constant.
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
