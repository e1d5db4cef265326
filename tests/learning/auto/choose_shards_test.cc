// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/train_loop.h>

#include <doctest/doctest.h>

#include "tests/support/multilabel_problems.h"
#include "tests/support/option_text.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A pass of visits touches 600 · (50 + 8 · 400 / 2) = 990 000 array entries: work for two shards.
Problem WideProblem() {
  Random random(5);
  return Problem(RandomMultiLabelProblem(random, 600, 8, 400, false), 0.01);
}

TrainOptions OpenShards(int threads) { return {.shards = 0, .threads = threads}; }

}  // namespace

TEST_CASE("dense data: as many shards as threads, if passes are long enough") {
  const Problem problem = WideProblem();
  CHECK(AutomaticShards(problem, 1) == 1);
  CHECK(AutomaticShards(problem, 2) == 2);
  CHECK(AutomaticShards(problem, 8) == 2);
  Random random(5);
  const Problem small(RandomMultiLabelProblem(random, 300, 8, 400, false), 0.01);
  CHECK(AutomaticShards(small, 8) == 1);
}

TEST_CASE("rare features: one shard, unless columns are long") {
  Random random(6);
  const Problem problem(RandomTextProblem(random, 20'000, 20, 1000), 0.01);
  // 20 000 · (50 + 20 · 9 / 2) = 2 800 000 entries: work for five shards
  CHECK(AutomaticShards(problem, 2) == 1);
  CHECK(AutomaticShards(problem, 4) == 1);
  CHECK(AutomaticShards(problem, 16) == 1);
  // 3000 · (50 + 100 · 9 / 2) = 1 500 000 entries, in columns of 100 weights
  const Problem tall(RandomTextProblem(random, 3000, 100, 1000), 0.01);
  CHECK(AutomaticShards(tall, 1) == 1);
  CHECK(AutomaticShards(tall, 2) == 2);
  CHECK(AutomaticShards(tall, 16) == 3);
}

TEST_CASE("--shards 0 chooses shards for active sets on several threads alone") {
  const Problem problem = WideProblem();
  const LearnerChoice two = ChooseLearner(problem, OpenShards(2));
  CHECK(two.options.shards == 2);
  CHECK(two.options.own<BcfwOptions>().planes == Switch::kOff);
  CHECK(two.reason.find("in 2 shards") != std::string::npos);
  const LearnerChoice one = ChooseLearner(problem, OpenShards(1));
  CHECK(one.options.shards == 1);
  CHECK(one.options.own<BcfwOptions>().planes == Switch::kOn);

  TrainOptions options = With(OpenShards(2), "--learner bcfw --step fw");
  CHECK(ChooseLearner(problem, options).options.shards == 1);
  options.step = StepKind::kPairwise;
  CHECK(ChooseLearner(problem, options).options.shards == 2);
  options.average = AverageKind::kWeighted;
  CHECK(ChooseLearner(problem, options).options.shards == 1);
}

TEST_CASE("a run in shards that were chosen is the run in as many shards") {
  const Problem problem = WideProblem();
  TrainOptions options = With(OpenShards(2), "--max-passes 3");
  const TrainSummary chosen = Train(problem, options);
  options.shards = 2;
  const TrainSummary given = Train(problem, options);
  CHECK(chosen.weights == given.weights);
  options.shards = 1;
  CHECK(Train(problem, options).weights != given.weights);
}
