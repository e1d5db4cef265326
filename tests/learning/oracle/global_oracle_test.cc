// SPDX-License-Identifier: BSD-3-Clause
//
// Learners with oracles over examples, on problems whose examples consist of global factors
// (inference/global_solver.h), compared with an independent quadratic program that has a column for
// each allowed state (tests/support/dense_qp.h).
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/matching_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/tree_factor.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/oracle/example_oracle.h>

#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/learner_checks.h"
#include "tests/support/losses.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Matchings of two nodes with two or three, with shared edge features and costs 1 and 3. Every
/// third problem also has a factor with weights, over other variables.
TrainingSet RandomMatchings(std::uint64_t seed, Index examples) {
  Random random(seed);
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("edge", 1, 3);
  const Index count = layout->AddBlock("count", 3);
  const bool counts = seed % 3 == 0;
  auto rows = std::make_shared<FeatureRows>();
  Dataset data(layout, rows);
  for (Index m = 0; m < examples; ++m) {
    const Index right = 2 + m % 2;
    ModelBuilder builder(layout);
    std::vector<MatchingFactor::Edge> edges;
    std::vector<Index> scope;
    const Index first = rows->size();
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < right; ++j) {
        const Index e = builder.AddVariable(2);
        builder.AddLinearFeatures(e, block, e, std::vector<Index>{kAbsent, 0});
        edges.push_back({i, j});
        scope.push_back(e);
        rows->AddDense(
            std::vector<double>{1, i == j ? 1 + 0.3 * random.Normal() : 0.0, random.Normal()});
      }
    }
    std::vector<Index> labels(scope.size(), 0);
    for (Index i = 0; i < 2; ++i) labels[i * right + (i + (random.Below(4) == 0)) % 2] = 1;
    const bool both = labels[0] + labels[right] == 2 || labels[1] + labels[right + 1] == 2;
    if (both) std::fill(labels.begin() + right, labels.end(), 0);
    builder.AddGlobalFactor(scope,
                            std::make_shared<MatchingFactor>(2, right, edges, 1, 1 + m % 3 / 2));
    if (counts) {
      const Index a = builder.AddVariable(2), b = builder.AddVariable(2);
      builder.AddGlobalFactor(std::vector<Index>{a, b}, std::make_shared<CardinalityFactor>(2),
                              count);
      for (int k = 0; k < 2; ++k) labels.push_back(static_cast<Index>(random.Below(2)));
    }
    data.Add(builder.Build(), labels, first);
  }
  LossOptions loss = LossWith(LossScale::kCount);
  loss.costs = {0, 1, 3, 0};
  return MakeTrainingSet(data, loss);
}

}  // namespace

TEST_CASE("learners reach the optimum over all matchings") {
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const double lambda = seed % 2 == 0 ? 0.02 : 0.3;
    const Problem problem(RandomMatchings(seed, 3), lambda);
    const double optimum = RelaxedOptimum(problem.training(), lambda);
    CAPTURE(seed);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
      const Run run = TrainOn(problem, Options(LearnerKind::kBcfw, step, 1e-6), optimum);
      CheckConverged(run, optimum, 3e-6);
      CHECK(run.summary.last.problem == CertifiedProblem::kExact);
    }
    const Run plain =
        TrainOn(problem, Options(LearnerKind::kBcfw, StepKind::kFrankWolfe, 2e-3), optimum);
    CheckConverged(plain);
    const Run al = TrainOn(
        problem, Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-5), optimum);
    CheckConverged(al);
  }
}

TEST_CASE("auto chooses the oracle of the factor, and its certificate holds") {
  for (std::uint64_t seed = 2; seed <= 3; ++seed) {  // without and with weights of global factors
    const Problem problem(RandomMatchings(seed, 6), 0.05);
    const LearnerChoice choice = ChooseLearner(problem, {});
    CHECK(choice.options.learner == LearnerKind::kBcfw);
    CHECK(choice.options.step == StepKind::kPairwise);
    CHECK(choice.reason.find("oracle global") != std::string::npos);
    const ExampleOracle oracle(problem, {});
    CHECK(!oracle.relaxed());

    const TrainOptions options{.gap_tolerance = 1e-5};
    const VerifiedRun run = CheckVerifies(problem, options, options.max_passes);
    CHECK(run.verification.solvers == "enumeration");
    CHECK(run.verification.dual_proved);
    ProgressRecord wrong = run.summary.last;
    wrong.primal *= 0.99;
    CheckFails(problem, options, run, wrong);
    wrong = run.summary.last;
    wrong.dual = wrong.primal * 1.01;
    CheckFails(problem, options, run, wrong);
  }
}

TEST_CASE("the primal at zero is the largest loss of a matching") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Problem problem(RandomMatchings(seed, 4), 0.1);
    const std::vector<double> zero(problem.num_weights(), 0.0);
    CHECK(
        Near(PrimalAtZeroWeights(problem), RelaxedPrimal(problem.training(), 0.1, zero), kSolver));
  }
}

TEST_CASE("options of factor blocks make auto choose factor blocks") {
  const Problem problem(RandomMatchings(2, 3), 0.05);
  TrainOptions options = Given("--rho 2");
  CHECK(ChooseLearner(problem, options).options.learner == LearnerKind::kAugmentedLagrangian);
}

TEST_CASE("oracles over tables are refused") {
  const Problem problem(RandomMatchings(1, 2), 0.1);
  for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
    for (const SolverKind oracle :
         {SolverKind::kRoof, SolverKind::kTree, SolverKind::kMessages, SolverKind::kBruteForce}) {
      TrainOptions options = Options(LearnerKind::kBcfw, step, 1e-3);
      options.oracle = oracle;
      CHECK_THROWS_WITH_AS(MakeLearner(problem, options),
                           doctest::Contains("does not support global factors"), DataError);
    }
  }
}

TEST_CASE("runs replay with any number of threads, and after saving") {
  const Problem problem(RandomMatchings(3, 9), 0.01);
  for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
    TrainOptions options = Options(LearnerKind::kBcfw, step, 0);
    CheckReplay(problem, options);
    CheckTakeOver(problem, options, {5, 5});
  }
}

TEST_CASE("a chain as a global factor trains like the chain of tables") {
  Random random(7);
  auto layout = std::make_shared<WeightLayout>();
  const Index unary = layout->AddBlock("unary", 3, 2);
  const Index smooth = layout->AddBlock("smooth", 1);
  auto rows = std::make_shared<FeatureRows>();
  Dataset tables(layout, rows), global(layout, rows);
  for (int m = 0; m < 4; ++m) {
    ModelBuilder with_tables(layout), with_global(layout);
    std::vector<Index> scope, labels;
    const Index first = rows->size();
    for (Index i = 0; i < 5; ++i) {
      for (ModelBuilder* builder : {&with_tables, &with_global}) {
        builder->AddVariable(3);
        builder->AddLinearFeatures(i, unary, i);
      }
      if (i > 0) with_tables.AddFactor({i - 1, i}, PottsFactor(3), smooth);
      scope.push_back(i);
      labels.push_back(static_cast<Index>(random.Below(3)));
      rows->AddDense(std::vector<double>{1, random.Normal()});
    }
    with_global.AddGlobalFactor(
        scope, std::make_shared<TreeFactor>(TreeFactor::Chain(5, PottsFactor(3))), smooth);
    tables.Add(with_tables.Build(), labels, first);
    global.Add(with_global.Build(), labels, first);
  }
  const TrainOptions options = Options(LearnerKind::kAuto, StepKind::kAuto, 1e-6);
  const TrainSummary a = Train(Problem(MakeTrainingSet(tables, {}), 0.1), options);
  const TrainSummary b = Train(Problem(MakeTrainingSet(global, {}), 0.1), options);
  CHECK(b.last.problem == CertifiedProblem::kExact);
  CHECK(Near(a.last.primal, b.last.primal, 3e-6));
  CHECK(a.termination == Termination::kConverged);
  CHECK(b.termination == Termination::kConverged);
}
