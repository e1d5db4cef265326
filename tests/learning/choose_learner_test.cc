// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/grid_problem.h>
#include <slackline/core/check.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/train_loop.h>

#include <doctest/doctest.h>

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
  CHECK(loopy.options.learner == LearnerKind::kBcfw);
  CHECK(loopy.options.step == StepKind::kPairwise);
  CHECK(loopy.options.order == OrderKind::kGap);
  CHECK(loopy.options.oracle == SolverKind::kMessagesBranchAndBound);
  CHECK(loopy.reason.find("small enough for branch and bound") != std::string::npos);

  GridProblemOptions grid;
  grid.examples = 1;
  grid.rows = grid.cols = 12;
  grid.states = 7;
  grid.features = 2;
  const LearnerChoice large = ChooseLearner(Problem(MakeGridProblem(grid), 0.1), {});
  CHECK(large.options.learner == LearnerKind::kBcfw);
  CHECK(large.options.oracle == SolverKind::kMessages);
  CHECK(large.reason.find("large") != std::string::npos);
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
