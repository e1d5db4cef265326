// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/train_loop.h>

#include <doctest/doctest.h>

#include "bench/drawn/grid_problem.h"
#include "tests/support/dealt.h"
#include "tests/support/multiclass_problems.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

Problem Loopy(Index max_states) {
  Random random(61);
  ProblemOptions shape;
  shape.num_variables = 4;
  shape.num_factors = 12;
  shape.max_states = max_states;
  shape.max_order = max_states > 2 ? 3 : 2;
  return Problem(RandomProblem(random, shape), 0.1);
}

Problem Forest() {
  Random random(62);
  ProblemOptions shape;
  shape.forest = true;
  return Problem(RandomProblem(random, shape), 0.1);
}

}  // namespace

TEST_CASE("without options the structure decides the learner") {
  const LearnerChoice forest = ChooseLearner(Forest(), {});
  CHECK(forest.options.learner == LearnerKind::kBcfw);
  CHECK(forest.options.step == StepKind::kPairwise);
  CHECK(forest.options.order == OrderKind::kGap);
  CHECK(forest.reason.find("dynamic programming") != std::string::npos);

  const LearnerChoice binary = ChooseLearner(Loopy(2), {});
  CHECK(binary.options.learner == LearnerKind::kBcfw);
  CHECK(binary.reason.find("roof duality") != std::string::npos);

  const LearnerChoice loopy = ChooseLearner(Loopy(3), {});
  CHECK(loopy.options.learner == LearnerKind::kPdhg);
  CHECK(loopy.options.oracle == SolverKind::kMessagesBranchAndBound);
  CHECK(loopy.reason.find("small enough for branch and bound") != std::string::npos);

  GridProblemOptions grid;
  grid.examples = 1;
  grid.rows = grid.cols = 12;
  grid.states = 7;
  grid.features = 2;
  const LearnerChoice large = ChooseLearner(Problem(MakeGridProblem(grid), 0.1), {});
  CHECK(large.options.learner == LearnerKind::kPdhg);
  CHECK(large.options.oracle == SolverKind::kMessages);
  TrainOptions pairwise;
  pairwise.step = StepKind::kPairwise;
  const Problem again(MakeGridProblem(grid), 0.1);
  CHECK(ChooseLearner(again, pairwise).options.learner == LearnerKind::kBcfw);
  TrainOptions relaxed;
  relaxed.certify = Certify::kRelaxed;
  CHECK(ChooseLearner(Loopy(3), relaxed).options.oracle == SolverKind::kMessages);
  TrainOptions exact;
  exact.certify = Certify::kExact;
  CHECK(ChooseLearner(Loopy(2), exact).options.learner == LearnerKind::kBcfw);
  CHECK(ChooseLearner(Loopy(2), exact).options.oracle == SolverKind::kMessagesBranchAndBound);
  CHECK(large.reason.find("large") != std::string::npos);
}

TEST_CASE("without factors, single variables of more than two states are example blocks") {
  Random random(63);
  const auto learner_of = [](const TrainingSet& training) {
    return ChooseLearner(Problem(training, 0.1), {}).options.learner;
  };
  CHECK(learner_of(RandomMulticlassProblem(random, 5, 3, 2).training) == LearnerKind::kBcfw);
  CHECK(learner_of(RandomMulticlassProblem(random, 5, 2, 2).training) ==
        LearnerKind::kAugmentedLagrangian);
  ProblemOptions shape;
  shape.num_factors = 0;
  shape.max_states = 4;
  CHECK(learner_of(RandomProblem(random, shape)) == LearnerKind::kAugmentedLagrangian);
}

TEST_CASE("an option of one family of learners decides") {
  TrainOptions options;
  options.own<PenaltyOptions>().rho = 2;
  CHECK(ChooseLearner(Forest(), options).options.learner == LearnerKind::kAugmentedLagrangian);
  options = {};
  options.own<AugmentedLagrangianOptions>().shrinking = Switch::kOff;
  CHECK(ChooseLearner(Forest(), options).options.learner == LearnerKind::kAugmentedLagrangian);
  options = {};
  options.own<AugmentedLagrangianOptions>().tau = 0.5;
  CHECK(ChooseLearner(Loopy(2), options).options.learner == LearnerKind::kAugmentedLagrangian);
  options = {};
  options.oracle = SolverKind::kBruteForce;
  CHECK(ChooseLearner(Loopy(3), options).options.learner == LearnerKind::kBcfw);
  options = {};
  options.step = StepKind::kFrankWolfe;
  CHECK(ChooseLearner(Loopy(2), options).options.learner == LearnerKind::kBcfw);
  CHECK(ChooseLearner(Loopy(2), options).options.order == OrderKind::kExample);
  options = {};
  options.average = AverageKind::kUniform;
  CHECK(ChooseLearner(Loopy(3), options).options.learner == LearnerKind::kBcfw);
}

TEST_CASE("given options are kept") {
  TrainOptions options;
  options.learner = LearnerKind::kSoft;
  options.order = OrderKind::kUniform;
  const LearnerChoice choice = ChooseLearner(Loopy(2), options);
  CHECK(choice.options.learner == LearnerKind::kSoft);
  CHECK(choice.options.order == OrderKind::kUniform);
  CHECK(choice.reason.empty());
}

TEST_CASE("options that are meaningless together are refused") {
  const Problem problem = Loopy(2);
  const auto refused = [&](auto change) {
    TrainOptions options;
    options.max_passes = 1;
    change(&options);
    CHECK_THROWS_AS(Train(problem, options), DataError);
  };
  refused([](TrainOptions* o) { o->learner = LearnerKind::kSoft, o->step = StepKind::kAway; });
  refused([](TrainOptions* o) {
    o->learner = LearnerKind::kAugmentedLagrangian, o->order = OrderKind::kGap;
  });
  refused([](TrainOptions* o) { o->learner = LearnerKind::kBcfw, o->order = OrderKind::kGap; });
  refused([](TrainOptions* o) {
    o->learner = LearnerKind::kSoft, o->average = AverageKind::kWeighted;
  });
  refused([](TrainOptions* o) {
    o->learner = LearnerKind::kBcfw, o->own<AugmentedLagrangianOptions>().tau = 0.5;
  });
  refused([](TrainOptions* o) { o->own<PenaltyOptions>().rho = 1, o->oracle = SolverKind::kRoof; });
}

namespace {

/// Five forests, and one graph with cycles (of three states) at the end, which only the last rank
/// has.
Problem OneCycle() {
  Random random(63);
  ProblemOptions shape;
  shape.num_examples = 6;
  shape.num_factors = 12;
  shape.mixed_sizes = true;
  shape.max_order = 3;
  for (;;) {
    TrainingSet training = RandomProblem(random, shape);
    bool first_are_forests = true;
    for (Index m = 0; m < 5; ++m)
      first_are_forests = first_are_forests && IsForest(training.data.example(m).graph());
    if (first_are_forests && !IsForest(training.data.example(5).graph()))
      return Problem(std::move(training), 0.1);
  }
}

/// What ranks choose from their parts of the problem.
std::vector<LearnerChoice> ChoicesOf(int size, const Problem& problem, const TrainOptions& given) {
  return OnEachRank(size, [&](ThreadRanks& ranks) {
    TrainOptions options = given;
    options.ranks = &ranks;
    return ChooseLearner(PartOf(problem, ranks), options);
  });
}

}  // namespace

TEST_CASE("ranks choose what one process with shards chooses from all examples") {
  for (const Problem& problem : {OneCycle(), Forest(), Loopy(2), Loopy(3)}) {
    TrainOptions sharded;
    sharded.shards = 3;
    const LearnerChoice alone = ChooseLearner(problem, sharded);
    for (const Index shards : {1, 3}) {
      TrainOptions given;
      given.shards = shards;
      for (const LearnerChoice& choice : ChoicesOf(3, problem, given)) {
        CHECK(choice.reason == alone.reason);
        CHECK(choice.options.learner == LearnerKind::kBcfw);
        CHECK(choice.options.step == alone.options.step);
        CHECK(choice.options.oracle == alone.options.oracle);
        CHECK(choice.options.order == alone.options.order);
        CHECK(choice.options.own<BcfwOptions>().planes == Switch::kOff);
        CHECK(choice.options.shards == 3);
      }
    }
  }
}

TEST_CASE("a choice on ranks is kept by the next choice") {
  const Problem problem = Forest();
  TrainOptions given;
  given.shards = 7;
  for (const LearnerChoice& choice : ChoicesOf(2, problem, given))
    CHECK(choice.options.shards == 7);
  TrainOptions chosen = ChoicesOf(2, problem, {}).front().options;
  for (const LearnerChoice& choice : ChoicesOf(2, problem, chosen)) {
    CHECK(choice.reason.empty());
    CHECK(choice.options.shards == 2);
    CHECK(choice.options.step == StepKind::kPairwise);
  }
}

TEST_CASE("ranks refuse what only one process can do") {
  const Problem problem = OneCycle();
  const auto refusal = [&](auto change) {
    return ErrorOnRanks(3, [&](ThreadRanks& ranks) {
      TrainOptions options;
      change(&options);
      options.ranks = &ranks;
      ChooseLearner(PartOf(problem, ranks), options);
    });
  };
  CHECK(refusal([](TrainOptions*) {}) == "accepted");
  CHECK(refusal([](TrainOptions* o) {
          o->learner = LearnerKind::kBcfw, o->step = StepKind::kAway;
        }) == "accepted");
  CHECK(refusal([](TrainOptions* o) { o->learner = LearnerKind::kSubgradient; }) ==
        "learner ssg needs a single process, but 3 processes train together; only --learner al "
        "or soft or bcfw or prox-sdca can do so");
  for (const LearnerKind learner : {LearnerKind::kBcfw, LearnerKind::kProxSdca, LearnerKind::kSoft,
                                    LearnerKind::kAugmentedLagrangian})
    CHECK(refusal([&](TrainOptions* o) { o->learner = learner; }) == "accepted");
  CHECK(refusal([](TrainOptions* o) { o->step = StepKind::kFrankWolfe; }) == "accepted");
  CHECK(refusal([](TrainOptions* o) { o->fixed_step = true; }) ==
        "--fixed-step needs a single process, but 3 processes train together");
  CHECK(refusal([](TrainOptions* o) { o->own<ProxSdcaOptions>().random_output = true; }) ==
        "--random-output needs a single process, but 3 processes train together");
  CHECK(refusal([](TrainOptions* o) { o->shards = 2; }) ==
        "--shards 2: 3 processes train together, and each needs a shard or more");
  CHECK(refusal([](TrainOptions* o) { o->kernel = KernelKind::kRbf; }) ==
        "--kernel, which compares every example with all others, needs a single process, but 3 "
        "processes train together");
  CHECK(refusal([](TrainOptions* o) { o->own<BcfwOptions>().planes = Switch::kOn; }) ==
        "--planes on needs a single process, but 3 processes train together");
  CHECK(refusal([](TrainOptions* o) { o->average = AverageKind::kUniform; }) ==
        "--average needs a single process, but 3 processes train together");
}

TEST_CASE("ranks train with factor blocks where options or data need them") {
  TrainOptions given;
  given.own<PenaltyOptions>().rho = 2;
  for (const LearnerChoice& choice : ChoicesOf(3, OneCycle(), given)) {
    CHECK(choice.options.learner == LearnerKind::kAugmentedLagrangian);
    CHECK(choice.options.shards == 3);
    CHECK(choice.options.step == StepKind::kPairwise);
  }
}

TEST_CASE("an oracle that does not suit the examples of one rank is refused on all") {
  const Problem problem = OneCycle();
  CHECK(ErrorOnRanks(3, [&](ThreadRanks& ranks) {
          TrainOptions options;
          options.ranks = &ranks;
          options.oracle = SolverKind::kTree;
          MakeLearner(PartOf(problem, ranks), options);
        }) == "oracle tree needs graphs without cycles; use --oracle auto");
}
