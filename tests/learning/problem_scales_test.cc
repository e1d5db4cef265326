// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/problem_scales.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/joint_states.h>

#include "tests/support/dealt.h"
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

TEST_CASE("ranks get the scales of all examples, with the bits of one process with shards") {
  Random random(5);
  for (int trial = 0; trial < 6; ++trial) {
    ProblemOptions shape{.num_examples = 11,
                         .mixed_sizes = true,
                         .uneven_inputs = true,
                         .forbidden = trial % 2 == 1};
    shape.forest = shape.forbidden;
    TrainingSet training = RandomProblem(random, shape);
    for (double& loss : training.losses) loss *= 0.5 + random.Uniform();
    const Problem problem(std::move(training), 0.3);
    const TrainOptions sharded{.shards = 5};
    const JointScales exact = JointScalesOf(problem, sharded);
    CHECK(exact.num_examples == 11);
    CHECK(exact.num_parts == problem.num_parts());
    CHECK(Near(exact.mean_squared_range, problem.mean_squared_range(), kTight));
    CHECK(Near(exact.primal_at_zero, PrimalAtZeroWeights(problem), kTight));
    CHECK(Near(exact.score_scale, ScoreScale(problem), kTight));
    const JointScales alone = JointScalesOf(problem, {});
    CHECK(alone.mean_squared_range == problem.mean_squared_range());
    CHECK(alone.primal_at_zero == PrimalAtZeroWeights(problem));
    CHECK(alone.score_scale == ScoreScale(problem));
    for (const int size : {1, 2, 3, 5}) {
      const auto all = OnEachRank(size, [&](ThreadRanks& ranks) {
        TrainOptions options = sharded;
        options.ranks = &ranks;
        return JointScalesOf(PartOf(problem, ranks), options);
      });
      for (const JointScales& scales : all) {
        CHECK(scales.num_examples == exact.num_examples);
        CHECK(scales.num_parts == exact.num_parts);
        CHECK(scales.mean_squared_range == exact.mean_squared_range);
        CHECK(scales.primal_at_zero == exact.primal_at_zero);
        CHECK(scales.score_scale == exact.score_scale);
      }
    }
  }
}
