// SPDX-License-Identifier: BSD-3-Clause
//
// The accelerated methods on marginals: the rate that the excessive gap technique promises, and how
// rarely trial steps are repeated.
#include <doctest/doctest.h>

#include <slackline/learning/train_loop.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/forest_problems.h"
#include "tests/support/never.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions Marginal(LearnerKind learner, Index passes) {
  TrainOptions options = Options(learner, StepKind::kAuto, 0);
  options.check_every = options.max_passes = passes;
  return options;
}

/// Runs one pass and then `passes` more. Checks that each of the latter makes a multiple of `least`
/// sweeps over the examples, and that they make at most `most` sweeps in total.
void CheckSweeps(LearnerKind kind, Index passes, Index least, Index most, std::uint64_t seed) {
  Random random(seed);
  const Index examples = 6;
  const Problem problem(RandomMultiLabelProblem(random, examples, 4, 3, false), 0.05);
  const auto learner = MakeLearner(problem, Marginal(kind, 1));
  learner->RunPass(kNever);
  const std::int64_t start = learner->work().oracle_calls;
  for (Index pass = 0; pass < passes; ++pass) learner->RunPass(kNever);
  const std::int64_t calls = learner->work().oracle_calls - start;
  CHECK(calls % (least * examples) == 0);
  CHECK(calls >= passes * least * examples);
  CHECK(calls <= most * examples);
  CHECK(learner->work().block_steps == (passes + 1) * examples);
}

}  // namespace

TEST_CASE("the excessive gap falls with the square of the number of passes") {
  Random random(2);
  double early = 0;
  double late = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, false), 0.05);
    early += Train(problem, Marginal(LearnerKind::kExcessiveGap, 40)).last.gap;
    late += Train(problem, Marginal(LearnerKind::kExcessiveGap, 320)).last.gap;
  }
  // The bound falls by a factor of 64; half of that is required.
  CHECK(early > 0);
  CHECK(late <= early / 32);
}

TEST_CASE("trial steps are rarely repeated") {
  // L doubles, and β is halved, about once in seven passes.
  CheckSweeps(LearnerKind::kExcessiveGap, 200, 1, 260, 3);
  CheckSweeps(LearnerKind::kExtragradient, 100, 2, 260, 2);
}

TEST_CASE("extragradient solves problems with a large regulariser in a few steps") {
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
