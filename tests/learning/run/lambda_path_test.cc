// SPDX-License-Identifier: BSD-3-Clause
//
// Paths over λ: their text form, and learners that continue with another λ.
#include <slackline/core/check.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/run/lambda_path.h>
#include <slackline/learning/step/dual_mixture.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/core/messages.h"
#include "tests/support/agreement.h"
#include "tests/support/learner_ways.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::string PathError(const std::string& text) {
  return MessageOf<DataError>([&] { ParseLambdaPath(text); });
}

/// Sublinear learners get wide tolerances.
void AddOthers(const Problem& problem, std::vector<TrainOptions>* all) {
  const auto add = [&](LearnerKind learner, double gap, Index passes) -> TrainOptions& {
    all->push_back(Options(learner, StepKind::kAuto, gap));
    all->back().max_passes = passes;
    return all->back();
  };
  add(LearnerKind::kCuttingPlane1, 1e-6, 3000);
  add(LearnerKind::kPdhg, 1e-4, 3000);
  add(LearnerKind::kCuttingPlane1, 1e-6, 3000).rescaling = Rescaling::kSlack;
  add(LearnerKind::kProxSdca, 2e-3, 30000).average = AverageKind::kWeighted;
  TrainOptions& elastic = add(LearnerKind::kProxSdca, 5e-3, 30000);
  Set(&elastic, "--l1 0.01 --smoothing 0.1");
  add(LearnerKind::kMultiSample, 2e-3, 30000).own<MultiSampleOptions>().revisit = true;
  add(LearnerKind::kMultiSample, 5e-2, 30000).average = AverageKind::kWeighted;
  if (HasInputs(problem))
    add(LearnerKind::kAugmentedLagrangian, 1e-4, 30000).kernel = KernelKind::kLinear;
}

std::vector<TrainOptions> AllOptions(const Problem& problem) {
  std::vector<TrainOptions> all(1);  // auto
  all.back().gap_tolerance = 1e-5;
  for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
    for (const OrderKind order : {OrderKind::kGap, OrderKind::kExample, OrderKind::kUniform}) {
      all.push_back(Options(LearnerKind::kBcfw, step, 1e-6));
      all.back().order = order;
    }
  }
  for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
    all.push_back(Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-6));
    all.back().order = order;
  }
  // Plain Frank-Wolfe steps converge slowly: a wide tolerance.
  for (const AverageKind average :
       {AverageKind::kOff, AverageKind::kWeighted, AverageKind::kSuffix}) {
    all.push_back(Options(LearnerKind::kBcfw, StepKind::kFrankWolfe, 1e-6));
    all.back().average = average;
    all.back().gap_tolerance = all.back().absolute_gap = 2e-3;
  }
  AddOthers(problem, &all);
  return all;
}

/// The last of seven problems has no cycles.
TrainingSet PathProblem(Random& random, int trial) {
  if (trial == 6) return RandomMultiLabelProblem(random, 5, 4, 3, false);
  if (trial % 2 == 0) return RandomMultiLabelProblem(random, 5, 4, 3, true);
  return RandomProblem(random, RandomOptions(random));
}

}  // namespace

TEST_CASE("paths are lists or geometric sequences") {
  CHECK(ParseLambdaPath("0.1") == std::vector<double>{0.1});
  CHECK(ParseLambdaPath("0.001,0.1,1e-2") == std::vector<double>{0.1, 0.01, 0.001});
  CHECK(ParseLambdaPath("0.001:0.1:3") == std::vector<double>{0.1, 0.01, 0.001});
  CHECK(ParseLambdaPath("0.1:0.001:3") == std::vector<double>{0.1, 0.01, 0.001});
  CHECK(ParseLambdaPath("1:2:2") == std::vector<double>{2, 1});
  const std::vector<double> path = ParseLambdaPath("0.1:0.0005:8");
  REQUIRE(path.size() == 8);
  CHECK(path.front() == 0.1);
  CHECK(path.back() == 0.0005);
  CHECK(LambdaText(path[1]) == "0.0469117");
  CHECK(LambdaText(path[7]) == "0.0005");
  CHECK(LambdaText(1e-7) == "1e-07");
  for (std::size_t k = 1; k < 8; ++k) {
    CHECK(std::abs(path[k] / path[k - 1] - std::pow(0.005, 1.0 / 7)) < 1e-5);
  }
}

TEST_CASE("bad paths are refused with the value at fault") {
  for (const char* text : {"", ",", "0.1,", "a", "0", "-1", "0.1,nan", "inf", "1e999", "0.1 ,1"}) {
    CAPTURE(text);
    CHECK(
        Contains(PathError(text), "is not allowed as a value of lambda; it must be a number > 0"));
  }
  for (const char* text : {"1:2:1", "1:2:", "1:2:x", "1:2:1001", "1:2:2.5", "1:2:-3"}) {
    CAPTURE(text);
    CHECK(Contains(PathError(text),
                   "is not allowed as the number of values; it must be from 2 to 1000"));
  }
  CHECK(Contains(PathError("1:2"), "it must be L1,L2,... or FROM:TO:COUNT"));
  CHECK(Contains(PathError("1:2:3:4"), "it must be L1,L2,... or FROM:TO:COUNT"));
  CHECK(PathError("0.1,0.2,0.10") == "the value 0.1 occurs twice");
  CHECK(PathError("1:1:2") == "the value 1 occurs twice");
}

TEST_CASE("problems share their training set") {
  Random random(1);
  const Problem problem(PathProblem(random, 0), 0.5);
  const Problem other = problem.WithLambda(0.25);
  CHECK(&other.training() == &problem.training());
  CHECK(other.lambda() == 0.25);
  CHECK(problem.lambda() == 0.5);
  CHECK(other.lambda_m() == 0.25 * problem.size());
  CHECK(other.penalty_scale() == 0.5 * problem.penalty_scale());
  CHECK_THROWS_AS(problem.WithLambda(0), std::invalid_argument);
  CHECK_THROWS_AS(problem.WithLambda(kInfinity), std::invalid_argument);
}

TEST_CASE("the best share of a mixture maximises the dual") {
  for (const double loss : {0.0, 0.3, 1.0, 7.0}) {
    for (const double regulariser : {0.0, 0.1, 0.5, 20.0}) {
      const double best = BestShare(loss, regulariser);
      CHECK(best >= 0);
      CHECK(best <= 1);
      const auto dual = [&](double theta) { return theta * loss - theta * theta * regulariser; };
      for (double theta = 0; theta <= 1; theta += 0.01) CHECK(dual(best) >= dual(theta) - 1e-15);
    }
  }
}

TEST_CASE("every lambda of a path is solved as from a cold start") {
  Random random(2);
  std::set<LearnerKind> learners = {LearnerKind::kSoft};  // tested below
  for (int trial = 0; trial < 7; ++trial) {
    const Problem first(PathProblem(random, trial), 1);
    for (const TrainOptions& options : AllOptions(first)) {
      learners.insert(options.learner);
      CAPTURE(trial);
      const std::string way = Describe(options);
      CAPTURE(way);
      std::unique_ptr<Learner> learner;
      std::vector<std::unique_ptr<Problem>> problems;
      // λ goes down and up again: any λ may follow any other.
      for (const double lambda : {0.5, 0.1, 0.02, 0.3}) {
        CAPTURE(lambda);
        problems.push_back(std::make_unique<Problem>(first.WithLambda(lambda)));
        if (learner == nullptr) {
          learner = MakeLearner(*problems.back(), options);
        } else {
          learner->traits().lambda->ChangeLambda(*problems.back());
          problems.front().reset();  // the previous problem is not needed any more
          problems.erase(problems.begin());
        }
        const TrainSummary warm =
            RunTraining(*problems.back(), *learner, options, nullptr, nullptr);
        const TrainSummary cold = Train(*problems.back(), options);
        CHECK(warm.termination == Termination::kConverged);
        // The optimum lies between the bounds of both runs.
        const double room = kSolver * std::max(1.0, std::abs(cold.last.primal));
        CHECK(warm.last.dual <= cold.last.primal + room);
        CHECK(cold.last.dual <= warm.last.primal + room);
        CHECK(warm.last.pass >= 1);
      }
    }
  }
  for (const LearnerKind learner : AllLearners()) {
    CAPTURE(Name(learner));
    CHECK((learners.count(learner) == 1) == KeepsState(learner));
  }
}

TEST_CASE("a warm start begins with a dual above zero") {
  Random random(3);
  for (const StepKind step : {StepKind::kPairwise, StepKind::kAway, StepKind::kFrankWolfe}) {
    const Problem problem(RandomMultiLabelProblem(random, 20, 4, 3, true), 0.1);
    TrainOptions options = Options(LearnerKind::kBcfw, step, 1e-6);
    options.gap_tolerance = options.absolute_gap = 1e-3;
    const auto learner = MakeLearner(problem, options);
    const TrainSummary large = RunTraining(problem, *learner, options, nullptr, nullptr);
    // The newest point. With a proximal centre, an earlier point may have had the best dual of the
    // run.
    const double newest = learner->Evaluate(1).dual;
    CHECK(newest >= large.last.dual - 1e-3);
    const Problem same = problem.WithLambda(0.1);
    learner->traits().lambda->ChangeLambda(same);
    CHECK(learner->work().oracle_calls == 0);
    // Starting again with the same λ keeps the dual.
    CHECK(learner->Evaluate(1).dual >= newest - 1e-12);
    const Problem smaller = problem.WithLambda(0.05);
    learner->traits().lambda->ChangeLambda(smaller);
    const double start = learner->Evaluate(1).dual;
    CHECK(start > 0);
    // θ = λ'/λ keeps w and is one of the candidates.
    const double kept_weights = 0.5 * (large.last.dual + Regulariser(0.1, large.weights)) -
                                Regulariser(0.05, large.weights);
    CHECK(start >= kept_weights - 1e-3 * std::abs(kept_weights));
    CHECK(start <= Train(smaller, options).last.primal + 1e-9);
  }
}

TEST_CASE("a soft path solves each penalised problem") {
  Random random(4);
  for (int trial = 0; trial < 4; ++trial) {
    TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-6);
    options.own<PenaltyOptions>().rho = 0.5;
    if (trial % 2 == 1) {
      Set(&options, "--rho-final 0.1 --rho-passes 10");
    }
    const Problem first(PathProblem(random, trial), 0.5);
    const Problem second = first.WithLambda(0.1);
    const auto learner = MakeLearner(first, options);
    RunTraining(first, *learner, options, nullptr, nullptr);
    learner->traits().lambda->ChangeLambda(second);
    const TrainSummary warm = RunTraining(second, *learner, options, nullptr, nullptr);
    const TrainSummary cold = Train(second, options);
    CHECK(warm.termination == Termination::kConverged);
    CHECK(warm.last.rho == cold.last.rho);
    CHECK(Near(warm.last.soft_primal, cold.last.soft_primal, 1e-5));
  }
}
