// SPDX-License-Identifier: BSD-3-Clause
//
// Runs over examples that are not kept (OnlineRun), over many steps.
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/shards/shard_deal.h>

#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("examples that are not kept: scales, norms and averages stay exact over many steps") {
  // Weights shrink by a common scale, which is multiplied in at about 1000 steps and again later.
  Random random(20);
  const Problem problem(RandomMultiLabelProblem(random, 20, 3, 4, true), 0.01);
  TrainOptions options = With(Options(LearnerKind::kMultiSample, StepKind::kAuto, 0),
                              "--oracle brute-force --samples 2 --average uniform");
  OnlineRun averaged(options, problem.num_weights());
  TrainOptions plain = With(options, "--average none");
  OnlineRun newest(plain, problem.num_weights());
  std::vector<double> sum(problem.num_weights(), 0.0);
  bool folded = false;
  for (Index k = 0; k < 3000; ++k) {
    const Problem next = ProblemOfRange(problem, {k % 20, k % 20 + 1});
    const double before = newest.scale;
    VisitNext(next, plain, &newest);
    VisitNext(next, options, &averaged);
    folded = folded || newest.scale > before;
    const std::vector<double> weights = newest.Output();
    double squared = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += weights[i];
      squared += weights[i] * weights[i];
    }
    CHECK(Near(newest.squared_norm, squared, kTight));
  }
  CHECK(folded);
  const std::vector<double> mean = averaged.Output();
  for (std::size_t i = 0; i < sum.size(); ++i) CHECK(Near(mean[i], sum[i] / 3000, kTight));

  // A saved state continues as the run itself does.
  OnlineRun copy(options, problem.num_weights());
  LoadAll(StateOf(averaged), copy);
  VisitNext(problem, options, &averaged);
  VisitNext(problem, options, &copy);
  CHECK(copy.Output() == averaged.Output());
  CHECK(copy.sums.lost == averaged.sums.lost);
}
