// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/excessive_gap.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/forest_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline;
using namespace slackline::test;

namespace {

/// The certified gap after so many passes.
double GapAfter(const Problem& problem, Index passes) {
  TrainOptions options = Options(LearnerKind::kExcessiveGap, StepKind::kAuto, 0);
  options.check_every = passes;
  options.max_passes = passes;
  const TrainSummary summary = Train(problem, options);
  return summary.last.primal - summary.last.dual;
}

}  // namespace

TEST_CASE("ExcessiveGapComesNearTheOptimumOfThePrograms") {
  Random random(1);
  for (int trial = 0; trial < 15; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.02;
    const Problem problem(ForestProblem(random, trial), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    TrainOptions options = Options(LearnerKind::kExcessiveGap, StepKind::kAuto, 1e-4);
    options.max_passes = 2000;
    const Run run = TrainOn(problem, options, optimum);
    CAPTURE(trial);
    CAPTURE(run.summary.message);
    CHECK(run.sound);
    CHECK(run.summary.termination == Termination::kConverged);
    CHECK(Near(run.summary.last.primal, optimum, 1e-4));
    CHECK(Near(run.summary.last.dual, optimum, 1e-4));
  }
}

TEST_CASE("TheGapFallsWithTheSquareOfThePasses") {
  Random random(2);
  double early = 0;
  double late = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, false), 0.05);
    early += GapAfter(problem, 40);
    late += GapAfter(problem, 320);
  }
  // 64 times less by the bound; half of that is asked.
  CHECK(early > 0);
  CHECK(late <= early / 32);
}

TEST_CASE("APassIsOneSweepUnlessTheConditionBreaks") {
  Random random(3);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, false), 0.05);
  const auto learner =
      MakeExcessiveGapLearner(problem, Options(LearnerKind::kExcessiveGap, StepKind::kAuto, 0));
  const StopControl stop(nullptr, 0);
  learner->RunPass(stop);
  const std::int64_t start = learner->work().oracle_calls;
  for (int pass = 0; pass < 200; ++pass) learner->RunPass(stop);
  const std::int64_t calls = learner->work().oracle_calls - start;
  CHECK(calls % 6 == 0);
  CHECK(calls >= 200 * 6);
  // L doubles about once in the seven passes in which it falls by half.
  CHECK(calls <= 260 * 6);
  CHECK(learner->work().block_steps == 201 * 6);
}
