// SPDX-License-Identifier: BSD-3-Clause
//
// What holds for every learner that asks an oracle: for test files of single learners.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"

namespace slackline::test {

/// f of the learner's dual point, from its coordinates alone.
inline double ValueOfDualPoint(const Problem& problem, const Learner& learner) {
  std::vector<double> weights(static_cast<std::size_t>(problem.num_weights()), 0.0);
  std::vector<double> coordinates;
  double sum = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    double loss = 0;
    REQUIRE(learner.DualPoint(m, &coordinates, &loss));
    sum += loss;
    const ExampleView example = problem.data().example(m);
    ScatterFeatures(example, coordinates, -1 / problem.lambda_m(), weights);
    coordinates.assign(coordinates.size(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, coordinates);
    ScatterFeatures(example, coordinates, 1 / problem.lambda_m(), weights);
  }
  return sum / problem.size() - Regulariser(problem.lambda(), weights);
}

/// Evaluations after every one of `passes` passes: bounds on the right sides of the optimum, a primal that is that of the weights,
/// a dual that is that of the dual point. Returns the last evaluation.
inline Evaluation CheckPasses(const Problem& problem, const TrainOptions& options, double optimum,
                              int passes) {
  const std::unique_ptr<Learner> learner = MakeLearner(problem, options);
  const StopControl never(nullptr, 0);
  Evaluation evaluation;
  for (int pass = 0; pass <= passes; ++pass) {
    if (pass > 0) learner->RunPass(never);
    evaluation = learner->Evaluate(1);
    CAPTURE(pass);
    const double room = kSolver * std::max(1.0, std::abs(evaluation.primal));
    CHECK(evaluation.primal >= optimum - room);
    CHECK(evaluation.dual <= optimum + room);
    const double primal = evaluation.problem == CertifiedProblem::kExact
                              ? ExactPrimal(problem.training(), problem.lambda(), learner->weights())
                              : RelaxedPrimal(problem.training(), problem.lambda(), learner->weights());
    CHECK(Near(evaluation.primal, primal, kSolver));
    CHECK(Near(evaluation.dual, ValueOfDualPoint(problem, *learner), kTight));
  }
  return evaluation;
}

/// A run that is stopped after some passes and resumed by another learner, against one that is not.
inline void CheckResume(const Problem& problem, TrainOptions options) {
  options.gap_tolerance = options.absolute_gap = 0;
  options.max_passes = 20;
  const TrainSummary whole = Train(problem, options);
  for (const std::size_t pass : {1, 6, 13}) {
    std::vector<std::string> states;
    std::atomic<int> interrupt{0};
    CheckpointPlan stop;
    stop.every_seconds = 0;
    stop.write = [&](const std::string& state) {
      if (states.size() < pass) states.push_back(state);
      if (states.size() == pass) interrupt = SIGINT;
    };
    const auto first = MakeLearner(problem, options);
    RunTraining(*first, options, nullptr, &interrupt, stop);
    REQUIRE(states.size() == pass);
    CheckpointPlan resume;
    resume.resume = states.back();
    const auto second = MakeLearner(problem, options);
    const TrainSummary resumed = RunTraining(*second, options, nullptr, nullptr, resume);
    CAPTURE(pass);
    CHECK(whole.weights == resumed.weights);
    CHECK(whole.last.primal == resumed.last.primal);
    CHECK(whole.last.dual == resumed.last.dual);
    CHECK(whole.last.pass == resumed.last.pass);
    CHECK(whole.last.oracle_calls == resumed.last.oracle_calls);
  }
}

/// Weights and figures are the same bits in every run, with 1, 2 and 4 threads.
inline void CheckReplay(const Problem& problem, TrainOptions options) {
  options.gap_tolerance = options.absolute_gap = 0;
  options.max_passes = 15;
  const TrainSummary once = Train(problem, options);
  for (const Index threads : {1, 2, 4}) {
    options.threads = threads;
    const TrainSummary again = Train(problem, options);
    CHECK(once.weights == again.weights);
    CHECK(once.last.primal == again.last.primal);
    CHECK(once.last.dual == again.last.dual);
  }
}

/// Two λ one after the other: bounds of the second problem hold from the first evaluation on, and what is reached is certified.
inline void CheckChangeLambda(const Problem& problem, const TrainOptions& options, double other,
                              double optimum, double first_dual, int passes, double gap) {
  const auto learner = MakeLearner(problem, options);
  const StopControl never(nullptr, 0);
  for (int pass = 0; pass < 10; ++pass) learner->RunPass(never);
  learner->Evaluate(1);
  const Problem next = problem.WithLambda(other);
  learner->ChangeLambda(next);
  CHECK(learner->work().oracle_calls == 0);
  Evaluation evaluation = learner->Evaluate(1);
  CHECK(evaluation.dual > first_dual);
  CHECK(Near(evaluation.dual, ValueOfDualPoint(next, *learner), kTight));
  double primal = evaluation.primal;
  double dual = evaluation.dual;
  for (int pass = 0; pass < passes; ++pass) {
    learner->RunPass(never);
    evaluation = learner->Evaluate(1);
    primal = std::min(primal, evaluation.primal);
    dual = std::max(dual, evaluation.dual);
  }
  CHECK(primal >= optimum - kSolver);
  CHECK(dual <= optimum + kSolver);
  CHECK(primal - dual <= gap * std::max(1.0, primal));
}

/// The run's certificate by another solver.
inline void CheckVerifies(const Problem& problem, TrainOptions options) {
  options.max_passes = 30;
  const auto learner = MakeLearner(problem, options);
  learner->KeepDualPoint();
  const TrainSummary summary = RunTraining(*learner, options, nullptr, nullptr);
  const Verification verification =
      VerifyCertificate(problem, summary.weights, summary.last, options, learner.get());
  CAPTURE(verification.message);
  CHECK(verification.outcome == VerifyOutcome::kHolds);
  CHECK(std::isfinite(verification.dual));
}

/// Shapes at which loops and divisions stumble: bounds stay finite and on their sides.
inline void CheckUnpleasantProblems(const TrainOptions& given) {
  Random random(4711);
  for (int shape = 0; shape < 8; ++shape) {
    ProblemOptions kind;
    kind.num_examples = shape == 0 ? 1 : 3;
    if (shape == 1) kind.zero_features = true;
    if (shape == 2) kind.max_states = 1;
    if (shape == 3) kind.single_states = kind.whole_inputs = true;
    if (shape == 4) kind.repeat_examples = true;
    if (shape == 5) kind.inputs = InputKind::kNone;
    if (shape == 6) kind.input_scale = 1e6;
    if (shape == 7) kind.num_variables = 1, kind.num_factors = 0;
    const TrainingSet training = RandomProblem(random, kind);
    for (const double lambda : {1e-20, 0.1, 1e20}) {
      const Problem problem(training, lambda);
      TrainOptions options = given;
      options.oracle = SolverKind::kBruteForce;
      options.gap_tolerance = options.absolute_gap = 0;
      const auto learner = MakeLearner(problem, options);
      const StopControl never(nullptr, 0);
      CAPTURE(shape);
      CAPTURE(lambda);
      for (int pass = 0; pass < 12; ++pass) {
        learner->RunPass(never);
        const Evaluation evaluation = learner->Evaluate(1);
        CHECK(std::isfinite(evaluation.primal));
        CHECK(std::isfinite(evaluation.dual));
        CHECK(evaluation.dual <= evaluation.primal + kExact * std::max(1.0, std::abs(evaluation.primal)));
        const auto& weights = learner->weights();
        CHECK(std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }));
      }
    }
  }
}

}  // namespace slackline::test
