// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/train_loop.h>

#include <doctest/doctest.h>

#include "bench/drawn/grid_problem.h"
#include "tests/support/dealt.h"
#include "tests/support/multiclass_problems.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/option_text.h"
#include "tests/support/random_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

Problem Loopy(Index max_states) {
  Random random(61);
  return Problem(RandomProblem(random, {.num_variables = 4,
                                        .max_states = max_states,
                                        .num_factors = 12,
                                        .max_order = max_states > 2 ? 3 : 2}),
                 0.1);
}

Problem Forest() {
  Random random(62);
  return Problem(RandomProblem(random, {.forest = true}), 0.1);
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

  const GridProblemOptions grid{.examples = 1, .rows = 12, .cols = 12, .states = 7, .features = 2};
  const LearnerChoice large = ChooseLearner(Problem(MakeGridProblem(grid), 0.1), {});
  CHECK(large.options.learner == LearnerKind::kPdhg);
  CHECK(large.options.oracle == SolverKind::kMessages);
  const Problem again(MakeGridProblem(grid), 0.1);
  CHECK(ChooseLearner(again, {.step = StepKind::kPairwise}).options.learner == LearnerKind::kBcfw);
  CHECK(ChooseLearner(Loopy(3), {.certify = Certify::kRelaxed}).options.oracle ==
        SolverKind::kMessages);
  const TrainOptions exact{.certify = Certify::kExact};
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
  CHECK(learner_of(RandomProblem(random, {.max_states = 4, .num_factors = 0})) ==
        LearnerKind::kAugmentedLagrangian);
}

TEST_CASE("an option of one family of learners decides") {
  const auto learner_of = [](const Problem& problem, const std::string& text) {
    return ChooseLearner(problem, Given(text)).options.learner;
  };
  for (const char* text : {"--rho 2", "--shrinking off"})
    CHECK(learner_of(Forest(), text) == LearnerKind::kAugmentedLagrangian);
  CHECK(learner_of(Loopy(2), "--tau 0.5") == LearnerKind::kAugmentedLagrangian);
  CHECK(learner_of(Loopy(3), "--oracle brute-force") == LearnerKind::kBcfw);
  CHECK(learner_of(Loopy(2), "--step fw") == LearnerKind::kBcfw);
  CHECK(ChooseLearner(Loopy(2), Given("--step fw")).options.order == OrderKind::kExample);
  CHECK(learner_of(Loopy(3), "--average uniform") == LearnerKind::kBcfw);
}

TEST_CASE("given options are kept") {
  const TrainOptions options{.learner = LearnerKind::kSoft, .order = OrderKind::kUniform};
  const LearnerChoice choice = ChooseLearner(Loopy(2), options);
  CHECK(choice.options.learner == LearnerKind::kSoft);
  CHECK(choice.options.order == OrderKind::kUniform);
  CHECK(choice.reason.empty());
}

TEST_CASE("options that are meaningless together are refused") {
  const Problem problem = Loopy(2);
  for (const char* text :
       {"--learner soft --step away", "--learner al --order gap", "--learner bcfw --order gap",
        "--learner soft --average weighted", "--learner bcfw --tau 0.5", "--rho 1 --oracle roof"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Train(problem, With(Given(text), "--max-passes 1")), DataError);
  }
}

namespace {

/// Five forests, and one graph with cycles (of three states) at the end, which only the last rank
/// has.
Problem OneCycle() {
  Random random(63);
  for (;;) {
    TrainingSet training = RandomProblem(
        random, {.num_examples = 6, .num_factors = 12, .max_order = 3, .mixed_sizes = true});
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
    const LearnerChoice alone = ChooseLearner(problem, {.shards = 3});
    for (const Index shards : {1, 3}) {
      for (const LearnerChoice& choice : ChoicesOf(3, problem, {.shards = shards})) {
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
  for (const LearnerChoice& choice : ChoicesOf(2, problem, {.shards = 7}))
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
  const auto refusal = [&](const std::string& text) {
    return ErrorOnRanks(3, [&](ThreadRanks& ranks) {
      TrainOptions options = Given(text);
      options.ranks = &ranks;
      ChooseLearner(PartOf(problem, ranks), options);
    });
  };
  for (const char* text : {"", "--learner bcfw --step away", "--learner bcfw", "--step fw",
                           "--learner prox-sdca", "--learner soft", "--learner al"}) {
    CAPTURE(text);
    CHECK(refusal(text) == "accepted");
  }
  CHECK(refusal("--learner ssg") ==
        "learner ssg needs a single process, but 3 processes train together; only --learner al "
        "or soft or bcfw or prox-sdca can do so");
  const std::string single = " needs a single process, but 3 processes train together";
  CHECK(refusal("--fixed-step on") == "--fixed-step" + single);
  CHECK(refusal("--random-output on") == "--random-output" + single);
  CHECK(refusal("--kernel rbf") ==
        "--kernel, which compares every example with all others," + single);
  CHECK(refusal("--planes on") == "--planes on" + single);
  CHECK(refusal("--average uniform") == "--average" + single);
  CHECK(refusal("--shards 2") ==
        "--shards 2: 3 processes train together, and each needs a shard or more");
}

TEST_CASE("ranks train with factor blocks where options or data need them") {
  TrainOptions given = Given("--rho 2");
  for (const LearnerChoice& choice : ChoicesOf(3, OneCycle(), given)) {
    CHECK(choice.options.learner == LearnerKind::kAugmentedLagrangian);
    CHECK(choice.options.shards == 3);
    CHECK(choice.options.step == StepKind::kPairwise);
  }
}

TEST_CASE("an oracle that does not suit the examples of one rank is refused on all") {
  const Problem problem = OneCycle();
  CHECK(ErrorOnRanks(3, [&](ThreadRanks& ranks) {
          MakeLearner(PartOf(problem, ranks), {.oracle = SolverKind::kTree, .ranks = &ranks});
        }) == "oracle tree needs graphs without cycles; use --oracle auto");
}
