// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reference/bundle.h>

#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/agreement.h"
#include "tests/support/never.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("the best point of a line is that of the kept labellings") {
  Random random(3);
  int inside = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem(SomeProblem(random, trial), trial % 2 == 0 ? 0.1 : 0.5);
    TrainOptions options;
    options.oracle = SolverKind::kBruteForce;
    PlaneLabellings kept(problem, options);
    NewPlane plane;
    std::vector<double> from(problem.num_weights()), to(from.size());
    for (double& w : from) w = 2 * random.Uniform() - 1;
    for (double& w : to) w = 2 * random.Uniform() - 1;
    const auto point = [&](double k) {
      std::vector<double> w(from.size());
      for (std::size_t i = 0; i < w.size(); ++i) w[i] = from[i] + k * (to[i] - from[i]);
      return w;
    };
    for (int k = 0; k <= 6; ++k) kept.Ask(point(k / 6.0), kNever, &plane);
    const auto objective = [&](double k) {
      const std::vector<double> w = point(k);
      kept.Recall(w, kNever, &plane);
      return plane.value + Regulariser(problem.lambda(), w);
    };
    const double best = BestOnLine(problem, from, to, &kept);
    const double value = objective(best);
    CHECK(best >= 0);
    CHECK(best <= 1);
    for (int k = 0; k <= 20; ++k) CHECK(objective(k / 20.0) >= value - kTight);
    inside += best > 0.01 && best < 0.99 ? 1 : 0;
  }
  CHECK(inside > 5);
}
