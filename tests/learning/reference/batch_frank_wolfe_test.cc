// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/train_loop.h>

#include <atomic>
#include <csignal>
#include <memory>

#include <doctest/doctest.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions FwOptions() {
  TrainOptions options = Options(LearnerKind::kFrankWolfe, StepKind::kAuto, 0);
  options.absolute_gap = 0;
  options.oracle = SolverKind::kBruteForce;
  return options;
}

}  // namespace

TEST_CASE("evaluations make no additional oracle calls") {
  Random random(74);
  const Problem problem(RandomMultiLabelProblem(random, 7, 4, 3, true), 0.1);
  const auto learner = MakeLearner(problem, FwOptions());
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
  const auto learner = MakeLearner(problem, FwOptions());
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
  const auto whole = MakeLearner(problem, FwOptions());
  for (int pass = 0; pass < 6; ++pass) whole->RunPass(kNever);
  learner->RunPass(kNever);
  CHECK(learner->Evaluate(1).dual == whole->Evaluate(1).dual);
}
