// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include <slackline/learning/run/path_trainer.h>

#include "tests/support/agreement.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr double kPathGap = 1e-6;

TrainOptions PathOptions(LearnerKind learner) {
  return Options(learner, learner == LearnerKind::kBcfw ? StepKind::kPairwise : StepKind::kAuto,
                 kPathGap);
}

}  // namespace

TEST_CASE("every lambda is solved, repeated ones included") {
  Random random(1);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem first(RandomMultiLabelProblem(random, 8, 4, 3, true), 0.5);
    for (const LearnerKind kind :
         {LearnerKind::kAuto, LearnerKind::kBcfw, LearnerKind::kAugmentedLagrangian}) {
      CAPTURE(trial);
      CAPTURE(std::string(Name(kind)));
      PathTrainer trainer(first, PathOptions(kind));
      for (const double lambda : {0.5, 0.05, 0.05, 0.2}) {
        CAPTURE(lambda);
        const TrainSummary warm = trainer.Train(lambda, nullptr);
        CHECK(warm.termination == Termination::kConverged);
        const TrainSummary cold = Train(first.WithLambda(lambda), PathOptions(kind));
        // The optimum lies between the bounds of both runs, whose gaps are at most the tolerance.
        const double room = kPathGap * std::max(1.0, std::abs(cold.last.primal)) + kExact;
        CHECK(std::abs(warm.last.primal - cold.last.primal) <= room);
        CHECK(std::abs(warm.last.dual - cold.last.dual) <= room);
      }
    }
  }
}

TEST_CASE("the first lambda is trained like a run without a path") {
  Random random(2);
  const Problem problem(RandomMultiLabelProblem(random, 8, 4, 3, true), 0.1);
  const TrainOptions options = PathOptions(LearnerKind::kBcfw);
  PathTrainer trainer(problem, options);
  CHECK(trainer.Train(0.1, nullptr).weights == Train(problem, options).weights);
}

TEST_CASE("a path can be interrupted, and refuses invalid values of lambda") {
  Random random(3);
  PathTrainer trainer(Problem(RandomMultiLabelProblem(random, 8, 4, 3, true), 0.1),
                      PathOptions(LearnerKind::kBcfw));
  const std::atomic<int> interrupt{2};
  CHECK(trainer.Train(0.1, &interrupt).termination == Termination::kInterrupted);
  CHECK_THROWS_AS(trainer.Train(0, nullptr), std::invalid_argument);
  CHECK(trainer.Train(0.01, nullptr).termination == Termination::kConverged);
}
