// SPDX-License-Identifier: BSD-3-Clause
//
// Behaviour shared by all learners on marginals: sound bounds, saved states, changes of λ,
// refusals.
#include <slackline/learning/marginals/marginal_learner.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/forest_problems.h"
#include "tests/support/global_problems.h"
#include "tests/support/learner_checks.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr LearnerKind kLearners[] = {LearnerKind::kExponentiatedGradient,
                                     LearnerKind::kExcessiveGap, LearnerKind::kExtragradient};

TrainOptions Passes(LearnerKind learner, Index passes) {
  TrainOptions options = Options(learner, StepKind::kAuto, 0);
  options.max_passes = passes;
  return options;
}

/// eg gets a wider gap: its first steps make distributions nearly corners, which it leaves slowly.
TrainOptions ToGap(LearnerKind learner, Index passes) {
  TrainOptions options = Passes(learner, passes);
  options.gap_tolerance = options.absolute_gap =
      learner == LearnerKind::kExponentiatedGradient ? 1e-2 : 3e-3;
  return options;
}

}  // namespace

TEST_CASE("bounds enclose the optimum at every check, and the gap closes") {
  Random random(1);
  for (int trial = 0; trial < 15; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.3 : 0.05;
    const Problem problem(ForestProblem(random, trial), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    for (const LearnerKind learner : kLearners) {
      const TrainOptions options = ToGap(learner, 600);
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(Name(learner));
      CAPTURE(run.summary.message);
      CHECK(run.sound);
      CHECK(run.summary.last.problem == CertifiedProblem::kExact);
      CHECK(run.summary.termination == Termination::kConverged);
      CHECK(Near(run.summary.last.primal,
                 ExactPrimal(problem.training(), lambda, run.summary.weights), kTight));
    }
  }
}

TEST_CASE("forbidden states are supported") {
  Random random(2);
  for (int trial = 0; trial < 6; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.forest = true;
    shape.forbidden = true;
    const Problem problem(RandomProblem(random, shape), 0.2);
    const double optimum = ExactOptimum(problem.training(), 0.2);
    for (const LearnerKind learner : kLearners) {
      const TrainOptions options = ToGap(learner, 600);
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(Name(learner));
      CHECK(run.sound);
      CHECK(run.summary.termination == Termination::kConverged);
    }
  }
}

TEST_CASE("certificates are verified, and dual points have the reported value") {
  Random random(3);
  for (int trial = 0; trial < 10; ++trial) {
    const Problem problem(ForestProblem(random, trial), 0.1);
    for (const LearnerKind kind : kLearners) {
      CAPTURE(trial);
      CAPTURE(Name(kind));
      CHECK(
          CheckVerifies(problem, Passes(kind, 30)).learner->traits().dual_point->DualPointIsBest());
    }
  }
}

TEST_CASE("resumed runs are the same bit for bit") {
  Random random(4);
  for (int trial = 0; trial < 3; ++trial) {
    const Problem problem(ForestProblem(random, trial), 0.05);
    for (const LearnerKind kind : kLearners) {
      TrainOptions options = Passes(kind, 30);
      if (kind == LearnerKind::kExponentiatedGradient && trial == 1)
        options.order = OrderKind::kUniform;
      std::vector<std::string> states;
      CheckpointPlan plan;
      plan.every_seconds = 0;
      plan.write = [&](const std::string& bytes, auto) { states.push_back(bytes); };
      const auto learner = MakeLearner(problem, options);
      if (trial == 2) learner->traits().dual_point->KeepDualPoint();
      const TrainSummary whole = RunTraining(problem, *learner, options, nullptr, nullptr, plan);
      CheckSame(whole, Train(problem, options));
      REQUIRE(states.size() == 30);
      for (const std::size_t pass : {1, 6, 17}) {
        CheckpointPlan rest;
        rest.resume = states[pass - 1];
        const auto resumed = MakeLearner(problem, options);
        if (trial > 0) resumed->traits().dual_point->KeepDualPoint();
        CAPTURE(Name(kind));
        CAPTURE(pass);
        CheckSame(whole, RunTraining(problem, *resumed, options, nullptr, nullptr, rest));
        CHECK(resumed->traits().dual_point->DualPointIsBest() == (trial == 2));
        const Verification verification = VerifyCertificate(problem, whole.weights, whole.last,
                                                            options, resumed->traits().dual_point);
        CHECK(verification.outcome == VerifyOutcome::kHolds);
      }
    }
  }
}

TEST_CASE("states that do not fit are refused") {
  Random random(5);
  const Problem problem(ForestProblem(random, 0), 0.1);
  for (const LearnerKind kind : kLearners) {
    const auto learner = MakeLearner(problem, Passes(kind, 1));
    learner->traits().dual_point->KeepDualPoint();
    learner->RunPass(kNever);
    learner->Evaluate(1);
    StateWriter writer;
    learner->Save(&writer);
    for (std::size_t size = 0; size < writer.bytes().size(); size += 1 + size / 8) {
      const std::string cut = writer.bytes().substr(0, size);
      StateReader reader(cut);
      CHECK_THROWS_AS(MakeLearner(problem, Passes(kind, 1))->Load(&reader), DataError);
    }
    for (const LearnerKind other : kLearners) {
      if (other == kind) continue;
      StateReader reader(writer.bytes());
      CHECK_THROWS_AS(MakeLearner(problem, Passes(other, 1))->Load(&reader), DataError);
    }
  }
}

TEST_CASE("another lambda is solved from the end of the previous one") {
  Random random(6);
  for (int trial = 0; trial < 5; ++trial) {
    const Problem first(ForestProblem(random, trial), 0.5);
    for (const LearnerKind kind : kLearners) {
      const TrainOptions options = ToGap(kind, 1500);
      const auto learner = MakeLearner(first, options);
      RunTraining(first, *learner, options, nullptr, nullptr);
      std::vector<std::unique_ptr<Problem>> problems;
      for (const double lambda : {0.5, 0.1, 0.3}) {
        problems.push_back(std::make_unique<Problem>(first.WithLambda(lambda)));
        learner->traits().lambda->ChangeLambda(*problems.back());
        CHECK(learner->work().oracle_calls == 0);
        const double start = learner->Evaluate(1).dual;
        BracketObserver observer(ExactOptimum(first.training(), lambda), kNone);
        CAPTURE(trial);
        CAPTURE(Name(kind));
        CAPTURE(lambda);
        const TrainSummary summary =
            RunTraining(*problems.back(), *learner, options, &observer, nullptr);
        CHECK(observer.sound);
        CHECK(summary.termination == Termination::kConverged);
        CHECK(start <= summary.last.primal + kTight);
        // Starting again with the same λ keeps the dual.
        if (problems.size() == 1)
          CHECK(start >= summary.last.primal - 3e-2 * std::max(1.0, summary.last.primal));
        if (problems.size() > 1) problems.erase(problems.begin());
      }
    }
  }
}

TEST_CASE("runs do not depend on the number of threads") {
  Random random(7);
  const Problem problem(RandomMultiLabelProblem(random, 40, 5, 3, false), 0.01);
  for (const LearnerKind kind : kLearners) CheckReplay(problem, Passes(kind, 15));
}

TEST_CASE("extreme problems have finite, sound bounds") {
  Random random(8);
  for (int trial = 0; trial < 16; ++trial) {
    ProblemOptions shape = RandomHardOptions(random);
    shape.forest = true;
    shape.duplicate_factors = false;
    shape.forbidden = trial % 4 == 3;
    shape.zero_features = trial % 5 == 4;
    const TrainingSet training = RandomProblem(random, shape);
    for (const double lambda : {1e-30, 1e-9, 1e9, 1e30}) {
      const Problem problem(training, lambda);
      for (const LearnerKind kind : kLearners) {
        CAPTURE(trial);
        CAPTURE(lambda);
        CAPTURE(Name(kind));
        const auto learner = MakeLearner(problem, Passes(kind, 25));
        const TrainSummary summary =
            RunTraining(problem, *learner, Passes(kind, 25), nullptr, nullptr);
        CheckNumbers(summary);
        const Verification verification = VerifyCertificate(
            problem, summary.weights, summary.last, Passes(kind, 25), learner->traits().dual_point);
        CAPTURE(verification.message);
        CHECK(verification.outcome == VerifyOutcome::kHolds);
      }
    }
  }
}

TEST_CASE("the state after an interrupted pass can be evaluated") {
  Random random(9);
  const Problem problem(RandomMultiLabelProblem(random, 8, 4, 3, false), 0.05);
  const std::atomic<int> interrupt{1};
  const StopControl stopped(&interrupt, 0);
  const double optimum = ExactOptimum(problem.training(), 0.05);
  for (const LearnerKind kind : kLearners) {
    const auto learner = MakeLearner(problem, Passes(kind, 1));
    for (int pass = 0; pass < 20; ++pass) {
      learner->RunPass(pass % 2 == 0 ? stopped : kNever);
      const Evaluation evaluation = learner->Evaluate(1);
      CHECK(evaluation.dual <= optimum + kSolver);
      CHECK(evaluation.primal >= optimum - kSolver);
    }
  }
}

TEST_CASE("problems and options that do not apply are refused") {
  Random random(10);
  const Problem chain(RandomMultiLabelProblem(random, 4, 3, 2, false), 0.1);
  const Problem cycle(RandomMultiLabelProblem(random, 4, 3, 2, true), 0.1);
  const Problem global(RandomGlobalProblem(1, {}), 0.1);
  for (const LearnerKind kind : kLearners) {
    TrainOptions options = Passes(kind, 1);
    CHECK_NOTHROW(MakeLearner(chain, options));
    CHECK_THROWS_AS(MakeLearner(cycle, options), DataError);
    CHECK_THROWS_AS(MakeLearner(global, options), DataError);
    options.order = OrderKind::kUniform;
    if (kind != LearnerKind::kExponentiatedGradient)
      CHECK_THROWS_AS(MakeLearner(chain, options), DataError);
  }
}
