// SPDX-License-Identifier: BSD-3-Clause
//
// Checks shared by the test files of the batch learners on marginals.
#pragma once

#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/forest_problems.h"
#include "tests/support/never.h"

namespace slackline::internal::test {

/// Trains on fifteen forest problems, with the λ in turn. Checks that the optimum lies between dual
/// and primal at every evaluation, and that each run ends within `gap` of the optimum.
inline void CheckComesNear(LearnerKind learner, const std::vector<double>& lambdas, double gap) {
  Random random(1);
  for (int trial = 0; trial < 15; ++trial) {
    const double lambda = lambdas[trial % lambdas.size()];
    const Problem problem(ForestProblem(random, trial), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    TrainOptions options = Options(learner, StepKind::kAuto, gap);
    options.max_passes = 2000;
    const Run run = TrainOn(problem, options, optimum);
    CAPTURE(trial);
    CAPTURE(run.summary.message);
    CHECK(run.sound);
    CHECK(run.summary.termination == Termination::kConverged);
    CHECK(Near(run.summary.last.primal, optimum, gap));
    CHECK(Near(run.summary.last.dual, optimum, gap));
  }
}

/// Runs one pass and then `passes` more. Checks that each of the latter makes a multiple of `least`
/// sweeps over the examples, and that they make at most `most` sweeps in total, so that trial steps
/// are rarely repeated.
inline void CheckSweeps(LearnerKind kind, Index passes, Index least, Index most,
                        std::uint64_t seed) {
  Random random(seed);
  const Index examples = 6;
  const Problem problem(RandomMultiLabelProblem(random, examples, 4, 3, false), 0.05);
  const auto learner = MakeLearner(problem, Options(kind, StepKind::kAuto, 0));
  learner->RunPass(kNever);
  const std::int64_t start = learner->work().oracle_calls;
  for (Index pass = 0; pass < passes; ++pass) learner->RunPass(kNever);
  const std::int64_t calls = learner->work().oracle_calls - start;
  CHECK(calls % (least * examples) == 0);
  CHECK(calls >= passes * least * examples);
  CHECK(calls <= most * examples);
  CHECK(learner->work().block_steps == (passes + 1) * examples);
}

}  // namespace slackline::internal::test
