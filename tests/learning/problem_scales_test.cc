// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/problem_scales.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/joint_states.h>

#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("the largest loss is the loss of the worst labelling") {
  Random random(1);
  for (int trial = 0; trial < 10; ++trial) {
    TrainingSet training = RandomProblem(random, RandomOptions(random));
    for (double& loss : training.losses) loss *= 0.5 + random.Uniform();
    const Problem problem(std::move(training), 1);
    for (Index m = 0; m < problem.size(); ++m) {
      const FactorGraph& graph = problem.data().example(m).graph();
      std::vector<Index> labels(graph.num_variables(), 0);
      double worst = 0;
      do {
        double loss = 0;
        for (Index i = 0; i < graph.num_variables(); ++i) {
          const Index label = labels[i];
          loss += problem.loss(m)[graph.state_offset(i) + label];
        }
        worst = std::max(worst, loss);
      } while (NextJoint(graph.cardinalities(), labels));
      CHECK(Near(LargestLoss(problem, m), worst, kTight));
    }
  }
}

TEST_CASE("scales of scores grow with the root of the squared range") {
  Random random(2);
  const Problem problem(RandomProblem(random, RandomOptions(random)), 0.3);
  CHECK(ScoreScale(problem, problem.mean_squared_range()) == ScoreScale(problem));
  CHECK(ScoreScale(problem, 0) == 0);
  CHECK(ScoreScale(problem, 4 * 0.7) == 2 * ScoreScale(problem, 0.7));
  const double parts = static_cast<double>(problem.num_parts()) / problem.size();
  CHECK(Near(ScoreScale(problem, 0.7), std::sqrt(2 * 0.7 / 0.3) * parts, kTight));
}
