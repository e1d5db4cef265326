// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates of training with global factors: right ones are verified, wrong ones are rejected.
#include <doctest/doctest.h>

#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/dense_qp.h"
#include "tests/support/global_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("right certificates hold, and wrong ones fail") {
  for (int trial = 0; trial < 8; ++trial) {
    GlobalProblemOptions shape{.exactly_one = trial % 4 == 1};
    shape.overlapping_bounds = shape.exactly_one;
    shape.chain = trial % 4 >= 2;
    shape.copies = trial % 4 == 3 ? 2 : 1;
    const Problem problem(RandomGlobalProblem(static_cast<std::uint64_t>(trial), shape), 0.05);
    const TrainOptions options{.step = trial < 4 ? StepKind::kPairwise : StepKind::kFrankWolfe,
                               .gap_tolerance = 1e-3,
                               .max_passes = 400};
    const auto learner = MakeLearner(problem, options);
    learner->traits().dual_point->KeepDualPoint();
    const TrainSummary summary = RunTraining(problem, *learner, options, nullptr, nullptr);
    const Verification right = VerifyCertificate(problem, summary.weights, summary.last, options,
                                                 learner->traits().dual_point);
    CAPTURE(trial);
    CAPTURE(right.message);
    CHECK(right.outcome == VerifyOutcome::kHolds);
    CHECK(right.solvers == "dual decomposition");
    // The labelling's value and the bound enclose the objective of these weights.
    CHECK(right.primal_value <= ExactPrimal(problem.training(), 0.05, summary.weights) + kTight);
    CHECK(right.primal >= RelaxedPrimal(problem.training(), 0.05, summary.weights) - kSolver);
    CHECK(right.dual <= RelaxedOptimum(problem.training(), 0.05) + kSolver);

    ProgressRecord low = summary.last;
    low.primal = right.primal_value - 1e-3;
    low.dual = low.primal - 1e-3;
    CHECK(VerifyCertificate(problem, summary.weights, low, options, learner->traits().dual_point)
              .outcome == VerifyOutcome::kFails);
    ProgressRecord high = summary.last;
    high.dual = right.primal + 1e-3;
    high.primal = high.dual + 1e-3;
    CHECK(VerifyCertificate(problem, summary.weights, high, options, learner->traits().dual_point)
              .outcome == VerifyOutcome::kFails);
  }
}
