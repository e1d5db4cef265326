// SPDX-License-Identifier: BSD-3-Clause
//
// Examples large enough for threads to share their visits give the same run for any number of
// threads.
#include <doctest/doctest.h>

#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/learner.h>
#include <tests/support/agreement.h>

using namespace slackline::internal;
using slackline::internal::test::ProblemOptions;
using slackline::internal::test::RandomProblem;

namespace {

TrainingSet LargeExamples() {
  Random random(5);
  return RandomProblem(random, {.num_examples = 6,
                                .num_variables = 40,
                                .max_states = 12,
                                .num_factors = 39,
                                .forest = true,
                                .input_dimension = 3000,
                                .input_scale = 0.05});
}

}  // namespace

TEST_CASE("runs on large examples are the same for any number of threads") {
  const TrainingSet training = LargeExamples();
  for (Index m = 0; m < training.data.size(); ++m)
    REQUIRE(ThreadsShareSweeps(training.data.example(m), 2));
  const Problem problem(training, 0.01);
  for (const AverageKind average : {AverageKind::kOff, AverageKind::kWeighted}) {
    TrainOptions options{.average = average,
                         .gap_tolerance = 1e-9,
                         .max_passes = 12,
                         .check_every = 3,
                         .threads = 1};
    const TrainSummary one = Train(problem, options, nullptr, nullptr);
    CHECK(one.last.primal < PrimalAtZeroWeights(problem));
    for (const Index threads : {2, 3}) {
      options.threads = threads;
      const TrainSummary several = Train(problem, options, nullptr, nullptr);
      test::CheckSame(several, one);
    }
  }
}

TEST_CASE("passes that share visits among threads are not made beside checks") {
  const TrainingSet training = LargeExamples();
  const Problem problem(training, 0.01);
  TrainOptions options{.threads = 1};
  CHECK(EvaluatesBesidePasses(*MakeLearner(problem, options)));
  options.threads = 2;
  CHECK_FALSE(EvaluatesBesidePasses(*MakeLearner(problem, options)));
}
