// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/dual_loss.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/factor_blocks/dual_loss_descent.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions For(LearnerKind learner, Index passes) {
  TrainOptions options = Options(learner, StepKind::kAuto, 0);
  options.absolute_gap = 0;
  options.max_passes = passes;
  options.check_every = 10;
  return options;
}

}  // namespace

TEST_CASE("both learners bracket the relaxed optimum, and come near to it") {
  Random random(321);
  for (int trial = 0; trial < 16; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.1 : 0.5;
    const Problem problem(SomeProblem(random, trial), lambda);
    const double optimum = RelaxedOptimum(problem.training(), lambda);
    CAPTURE(trial);
    CAPTURE(optimum);
    const double unit = std::max(0.1, optimum);
    TrainOptions options = For(LearnerKind::kDlpw, 2000);
    options.check_every = 50;
    options.own<DualLossOptions>().step_size = 1 / lambda;
    const Run hard = TrainOn(problem, options, optimum);
    CHECK(hard.sound);
    CHECK(hard.summary.last.primal <= optimum + 0.06 * unit);
    CHECK(hard.summary.last.dual >= optimum - 0.15 * unit);
    // With smoothing the dual point is better, and the primal is biased.
    options.learner = LearnerKind::kSmoothDlpw;
    options.smoothing = 0.003;
    const Run smooth = TrainOn(problem, options, optimum);
    CHECK(smooth.sound);
    CHECK(smooth.summary.last.primal <= optimum + 0.12 * unit);
    CHECK(smooth.summary.last.dual >= optimum - 0.06 * unit);
    // The reported primal bounds the relaxed primal at the saved weights.
    CHECK(hard.summary.last.primal >=
          RelaxedPrimal(problem.training(), lambda, hard.summary.weights) - kSolver);
  }
}

TEST_CASE("a note reports the step size found, and a given one is used") {
  Random random(322);
  const Problem problem(RandomMultiLabelProblem(random, 20, 4, 3, true), 0.1);
  TrainOptions options = For(LearnerKind::kDlpw, 20);
  const TrainSummary found = Train(problem, options);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].find("the best of 5 in 20 passes over 20 examples") != std::string::npos);
  const std::size_t begin = found.notes[0].find("η = ") + std::string("η = ").size();
  options.own<DualLossOptions>().step_size = std::stod(found.notes[0].substr(begin));
  const TrainSummary given = Train(problem, options);
  CHECK(given.notes.empty());
  CHECK(given.weights == found.weights);
  options.own<DualLossOptions>().step_size *= 2;
  CHECK(Train(problem, options).weights != found.weights);
}

TEST_CASE("trial steps lower the regularised bound") {
  Random random(323);
  const Problem problem(RandomMultiLabelProblem(random, 30, 5, 3, true), 0.05);
  std::vector<Index> examples;
  for (Index m = 0; m < 10; ++m) examples.push_back(3 * m);
  DualLossDescent descent(problem, examples, {0, 1 / problem.lambda(), true});
  const double start = descent.Objective();
  for (int pass = 0; pass < 100; ++pass) {
    for (Index k = 0; k < descent.size(); ++k) descent.Visit(k);
  }
  CHECK(descent.steps() == 1000);
  CHECK(descent.Objective() < start);
}

TEST_CASE("dual points are feasible, and verification agrees with the certificate") {
  Random random(324);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    for (const LearnerKind kind : {LearnerKind::kDlpw, LearnerKind::kSmoothDlpw}) {
      const auto learner = MakeLearner(problem, For(kind, 30));
      for (int pass = 0; pass < 30; ++pass) learner->RunPass(kNever);
      const Evaluation evaluation = learner->Evaluate(1);
      // The mixture has no other points than this point and the ground truth.
      CHECK(Near(ValueOfDualPoint(problem, *learner), evaluation.dual, kTight));
      CHECK(evaluation.dual <= RelaxedOptimum(problem.training(), 0.1) + kSolver);
    }
  }
}

TEST_CASE("runs replay, do not depend on threads, and resume bit for bit") {
  Random random(325);
  const Problem problem(RandomMultiLabelProblem(random, 40, 5, 3, true), 0.01);
  for (const LearnerKind kind : {LearnerKind::kDlpw, LearnerKind::kSmoothDlpw}) {
    for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
      TrainOptions options = For(kind, 20);
      options.order = order;
      const TrainSummary once = CheckReplay(problem, options, 20);
      options.seed = 2;
      CHECK(once.weights != Train(problem, options).weights);
      CheckTakeOver(problem, options, {3, 3, [](Learner& learner) { learner.Evaluate(1); }});
    }
  }
}

TEST_CASE("a change of lambda keeps the bracket sound") {
  Random random(326);
  const Problem problem(RandomMultiLabelProblem(random, 10, 4, 3, true), 0.5);
  const Problem changed = problem.WithLambda(0.1);
  const double optimum = RelaxedOptimum(problem.training(), 0.1);
  for (const LearnerKind kind : {LearnerKind::kDlpw, LearnerKind::kSmoothDlpw}) {
    const auto learner = MakeLearner(problem, For(kind, 1));
    for (int pass = 0; pass < 50; ++pass) learner->RunPass(kNever);
    learner->Evaluate(1);
    learner->traits().lambda->ChangeLambda(changed);
    CHECK(learner->work().block_steps == 0);
    for (int pass = 0; pass < 200; ++pass) {
      const Evaluation evaluation = learner->Evaluate(1);
      CHECK(evaluation.dual <= optimum + kSolver);
      CHECK(evaluation.primal >= optimum - kSolver);
      learner->RunPass(kNever);
    }
    const Evaluation last = learner->Evaluate(1);
    CHECK(last.primal <= optimum * 1.1);
  }
}

TEST_CASE("figures on unpleasant problems are finite and sound") {
  Random random(327);
  for (int trial = 0; trial < 40; ++trial) {
    ProblemOptions shape = RandomHardOptions(random);
    shape.forbidden = false;
    const double lambda = trial % 4 == 0 ? 1e-8 : trial % 4 == 1 ? 1e8 : trial % 4 == 2 ? 1 : 0.01;
    const Problem problem(RandomProblem(random, shape), lambda);
    for (const LearnerKind kind : {LearnerKind::kDlpw, LearnerKind::kSmoothDlpw}) {
      TrainOptions options = For(kind, 12);
      const TrainSummary summary = Train(problem, options);
      CAPTURE(trial);
      CheckNumbers(summary);
      CHECK(summary.last.primal <= PrimalAtZeroWeights(problem) * (1 + kTight) + kTight);
    }
  }
}

TEST_CASE("the upper bound holds where messages are far larger than the weights") {
  Random random(329);
  for (int trial = 0; trial < 60; ++trial) {
    ProblemOptions shape;
    shape.num_examples = 1 + trial % 3;
    shape.max_states = 2 + trial % 2;
    shape.num_factors = 6;
    shape.input_scale = trial % 2 == 0 ? 1e3 : 1e6;
    shape.whole_inputs = true;
    const Problem problem(RandomProblem(random, shape), 0.01);
    TrainOptions options = For(LearnerKind::kDlpw, 40);
    options.order = OrderKind::kUniform;
    options.own<DualLossOptions>().step_size = 1e4;
    options.check_every = 1;
    const TrainSummary summary = Train(problem, options);
    CAPTURE(trial);
    const double exact = ExactPrimal(problem.training(), 0.01, summary.weights);
    double scores = 0;
    for (const double w : summary.weights) scores += std::abs(w) * shape.input_scale;
    CHECK(summary.last.primal >= exact - kTight - 10 * kSummands * scores);
  }
}

TEST_CASE("unsupported options are refused with a message") {
  Random random(328);
  const Problem problem(RandomMultiLabelProblem(random, 4, 3, 3, true), 0.1);
  TrainOptions options = For(LearnerKind::kDlpw, 1);
  options.step = StepKind::kFrankWolfe;
  CHECK_THROWS_WITH_AS(MakeLearner(problem, options),
                       "--step fw: learner dlpw takes gradient steps only", DataError);
  options.step = StepKind::kAuto;
  options.smoothing = 1;
  CHECK_THROWS_AS(MakeLearner(problem, options), DataError);
}
