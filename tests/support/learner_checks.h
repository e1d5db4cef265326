// SPDX-License-Identifier: BSD-3-Clause
//
// Properties that hold for every learner, and further ones for learners with an oracle and a dual
// point: for the test files of single learners. Gives what agreement.h gives, states and
// verification, too.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify/verify.h>

#include "tests/core/messages.h"
#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/never.h"
#include "tests/support/states.h"

namespace slackline::internal::test {

/// Checks that the vectors are equal up to rounding, relative to the largest |a_k|.
inline void CheckNear(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double scale = 1;
  for (const double value : a) scale = std::max(scale, std::abs(value));
  for (std::size_t k = 0; k < a.size(); ++k) CHECK(std::abs(a[k] - b[k]) <= kTight * scale);
}

/// The message of the DataError with which options, or a learner of a problem, are refused; else
/// "accepted".
inline std::string RefusalOf(const TrainOptions& options) {
  return MessageOf<DataError>([&] { CheckOptions(options); });
}
inline std::string RefusalOf(const Problem& problem, const TrainOptions& options) {
  return MessageOf<DataError>([&] { MakeLearner(problem, options); });
}

/// The state of a run that is interrupted after so many passes.
inline std::string StateAfter(int passes, const Problem& problem, const TrainOptions& options) {
  std::atomic<int> interrupt{0};
  std::string state;
  int written = 0;
  CheckpointPlan plan;
  plan.every_seconds = 0;
  plan.write = [&](const std::string& bytes, auto) {
    if (written < passes) state = bytes;
    if (++written >= passes) interrupt = SIGINT;
  };
  RunTraining(problem, *MakeLearner(problem, options), options, nullptr, &interrupt, plan);
  REQUIRE(written >= passes);
  return state;
}

/// The rest of a run that begins with a state.
inline TrainSummary Resumed(const Problem& problem, const TrainOptions& options,
                            std::string_view state, TrainObserver* observer = nullptr) {
  return RunTraining(problem, *MakeLearner(problem, options), options, observer, nullptr,
                     ContinuedFrom(state));
}

/// Checks that a run that is interrupted after so many passes and resumed is the whole run, bit for
/// bit.
inline void CheckResumedAfter(int passes, const Problem& problem, const TrainOptions& options,
                              const TrainSummary& whole) {
  CAPTURE(passes);
  CheckSame(whole, Resumed(problem, options, StateAfter(passes, problem, options)));
}

/// Ψμ of the learner's dual point, from the coordinates of the point alone; adds the losses of all
/// examples to *losses.
inline std::vector<double> WeightsOfDualPoint(const Problem& problem, const Learner& learner,
                                              double* losses) {
  std::vector<double> weights(problem.num_weights(), 0.0);
  std::vector<double> coordinates;
  for (Index m = 0; m < problem.size(); ++m) {
    double loss = 0;
    REQUIRE(learner.traits().dual_point->DualPoint(m, &coordinates, &loss));
    *losses += loss;
    const ExampleView example = problem.data().example(m);
    ScatterFeatures(example, coordinates, -1 / problem.lambda_m(), weights);
    coordinates.assign(coordinates.size(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, coordinates);
    ScatterFeatures(example, coordinates, 1 / problem.lambda_m(), weights);
  }
  return weights;
}

/// f of that point.
inline double ValueOfDualPoint(const Problem& problem, const Learner& learner) {
  double losses = 0;
  const std::vector<double> weights = WeightsOfDualPoint(problem, learner, &losses);
  return losses / problem.size() - Regulariser(problem.lambda(), weights);
}

/// Evaluates the learner before the first pass and after each of `passes` passes. Checks that the
/// optimum lies between dual and primal, that the primal is the one of the weights, and that the
/// dual is the one of the dual point. Returns the last evaluation.
inline Evaluation CheckPasses(const Problem& problem, const TrainOptions& options, double optimum,
                              int passes) {
  const std::unique_ptr<Learner> learner = MakeLearner(problem, options);
  Evaluation evaluation;
  for (int pass = 0; pass <= passes; ++pass) {
    if (pass > 0) learner->RunPass(kNever);
    evaluation = learner->Evaluate(1);
    CAPTURE(pass);
    const double room = kSolver * std::max(1.0, std::abs(evaluation.primal));
    CHECK(evaluation.primal >= optimum - room);
    CHECK(evaluation.dual <= optimum + room);
    const double primal =
        evaluation.problem == CertifiedProblem::kExact
            ? ExactPrimal(problem.training(), problem.lambda(), learner->weights())
            : RelaxedPrimal(problem.training(), problem.lambda(), learner->weights());
    CHECK(Near(evaluation.primal, primal, kSolver));
    CHECK(Near(evaluation.dual, ValueOfDualPoint(problem, *learner), kTight));
  }
  return evaluation;
}

/// Evaluates the learner after every pass. Checks that no dual is smaller than its predecessor by
/// more than `room`; the first is compared with 0.
inline void CheckDualNeverFalls(const Problem& problem, const TrainOptions& options, int passes,
                                double room) {
  const auto learner = MakeLearner(problem, options);
  double dual = 0;
  for (int pass = 0; pass < passes; ++pass) {
    learner->RunPass(kNever);
    const double next = learner->Evaluate(1).dual;
    CAPTURE(pass);
    CHECK(next >= dual - room);
    dual = next;
  }
}

/// Compares a run that is interrupted after some passes and resumed by another learner with an
/// uninterrupted run.
inline void CheckResume(const Problem& problem, TrainOptions options) {
  options.gap_tolerance = options.absolute_gap = 0;
  options.max_passes = 20;
  const TrainSummary whole = Train(problem, options);
  for (const int passes : {1, 6, 13}) CheckResumedAfter(passes, problem, options, whole);
}

/// Checks that four shards come to the gap of the options within so many times the passes of one.
inline void CheckPassesOfShards(const Problem& problem, TrainOptions options, Index times) {
  options.check_every = 1;
  options.shards = 1;
  const Index alone = Train(problem, options).last.pass;
  options.shards = 4;
  options.max_passes = times * (alone + 1);
  CAPTURE(options.learner.name());
  CAPTURE(alone);
  CHECK(Train(problem, options).termination == Termination::kConverged);
}

/// Interrupts passes in their middle, and checks that each leaves a point with a certificate.
/// never_falls: whose dual is no smaller than before, and which the next whole pass improves.
inline void CheckInterruptedPasses(const Problem& problem, const TrainOptions& options,
                                   bool never_falls) {
  const auto learner = MakeLearner(problem, options);
  if (!never_falls) learner->traits().dual_point->KeepDualPoint();
  const std::atomic<int> interrupt{1};
  learner->RunPass(kNever);
  const double before = learner->Evaluate(1).dual;
  CAPTURE(options.learner.name());
  for (int pass = 0; pass < 4; ++pass) {
    learner->RunPass(pass < 3 ? StopControl(&interrupt, 0) : kNever);
    const Evaluation after = learner->Evaluate(1);
    if (never_falls) CHECK(after.dual >= before - kExact);
    CHECK(Near(after.dual, ValueOfDualPoint(problem, *learner), kTight));
    CHECK(after.primal >= after.dual);
    if (never_falls && pass == 3) CHECK(after.dual > before);
  }
}

/// What a learner does before and after its state is saved.
struct TakeOver {
  int before = 3;  ///< passes
  int after = 3;
  std::function<void(Learner&)> prepare = {};  ///< called between the passes before and the save
  bool checks = false;  ///< the second learner is evaluated before each of its passes
};

/// Saves the state of a learner, loads it into a second one and trains both further. Checks that
/// states, figures, weights and work are the same at once and at the end, bit for bit, and that a
/// truncated state is refused. Returns the first learner.
inline std::unique_ptr<Learner> CheckTakeOver(const Problem& problem, const TrainOptions& options,
                                              const TakeOver& plan = {}) {
  auto first = MakeLearner(problem, options);
  for (int pass = 0; pass < plan.before; ++pass) first->RunPass(kNever);
  if (plan.prepare) plan.prepare(*first);
  const std::string state = StateOf(*first);
  const auto second = MakeLearner(problem, options);
  LoadAll(state, *second);
  CHECK(StateOf(*second) == state);
  CHECK(second->weights().empty());
  for (int pass = 0; pass < plan.after; ++pass) {
    first->RunPass(kNever);
    if (plan.checks) second->Evaluate(1);
    second->RunPass(kNever);
  }
  CHECK(StateOf(*first) == StateOf(*second));
  const Evaluation a = first->Evaluate(1);
  const Evaluation b = second->Evaluate(2);
  CHECK(a.primal == b.primal);
  CHECK(a.dual == b.dual);
  CHECK(std::ranges::equal(first->weights(), second->weights()));
  CHECK(Adapt(*first, a) == Adapt(*second, b));
  CHECK(first->work().entries == second->work().entries);
  const std::string_view torn = std::string_view(state).substr(0, state.size() / 2);
  CHECK_THROWS_AS(LoadAll(torn, *MakeLearner(problem, options)), DataError);
  return first;
}

/// Checks that weights and figures have the same bits in every run, with 1, 2 and 4 threads.
/// Returns the summary of a run.
inline TrainSummary CheckReplay(const Problem& problem, TrainOptions options, Index passes = 15) {
  options.gap_tolerance = options.absolute_gap = 0;
  options.max_passes = passes;
  const TrainSummary once = Train(problem, options);
  for (const Index threads : {1, 2, 4}) {
    options.threads = threads;
    CheckSame(once, Train(problem, options));
  }
  return once;
}

/// Changes λ after ten passes. Checks that the bounds of the second problem hold from the first
/// evaluation on, and that its gap falls to `gap`.
inline void CheckChangeLambda(const Problem& problem, const TrainOptions& options, double other,
                              double optimum, double first_dual, int passes, double gap) {
  const auto learner = MakeLearner(problem, options);
  for (int pass = 0; pass < 10; ++pass) learner->RunPass(kNever);
  learner->Evaluate(1);
  const Problem next = problem.WithLambda(other);
  learner->traits().lambda->ChangeLambda(next);
  CHECK(learner->work().oracle_calls == 0);
  Evaluation evaluation = learner->Evaluate(1);
  CHECK(evaluation.dual > first_dual);
  CHECK(Near(evaluation.dual, ValueOfDualPoint(next, *learner), kTight));
  double primal = evaluation.primal;
  double dual = evaluation.dual;
  for (int pass = 0; pass < passes; ++pass) {
    learner->RunPass(kNever);
    evaluation = learner->Evaluate(1);
    primal = std::min(primal, evaluation.primal);
    dual = std::max(dual, evaluation.dual);
  }
  CHECK(primal >= optimum - kSolver);
  CHECK(dual <= optimum + kSolver);
  CHECK(primal - dual <= gap * std::max(1.0, primal));
}

/// Changes λ after `before` passes. Checks that the bounds of the second problem hold at once, and
/// that `after` further passes leave less than `gap`. Returns the first evaluation.
inline Evaluation CheckPath(const Problem& first, const Problem& second,
                            const TrainOptions& options, double optimum, int before, int after,
                            double gap) {
  const auto learner = MakeLearner(first, options);
  for (int pass = 0; pass < before; ++pass) learner->RunPass(kNever);
  learner->traits().lambda->ChangeLambda(second);
  CHECK(learner->work().oracle_calls == 0);
  const auto holds = [optimum](const Evaluation& evaluation) {
    CHECK(evaluation.dual <= optimum + kSolver);
    CHECK(evaluation.primal >= optimum - kSolver);
  };
  const Evaluation start = learner->Evaluate(1);
  holds(start);
  for (int pass = 0; pass < after; ++pass) learner->RunPass(kNever);
  const Evaluation evaluation = learner->Evaluate(1);
  holds(evaluation);
  CHECK(evaluation.primal - evaluation.dual < gap);
  return start;
}

struct VerifiedRun {
  std::unique_ptr<Learner> learner;
  TrainSummary summary = {};
  Verification verification = {};
};

/// Checks that another solver confirms the certificate of a run, which keeps its dual point.
inline VerifiedRun TrainVerified(const Problem& problem, const TrainOptions& options,
                                 TrainObserver* observer = nullptr,
                                 const std::atomic<int>* interrupt = nullptr) {
  VerifiedRun run{.learner = MakeLearner(problem, options)};
  run.learner->traits().dual_point->KeepDualPoint();
  run.summary = RunTraining(problem, *run.learner, options, observer, interrupt);
  run.verification = VerifyCertificate(problem, run.summary.weights, run.summary.last, options,
                                       run.learner->traits().dual_point);
  CAPTURE(run.summary.message);
  CAPTURE(run.verification.message);
  CHECK(run.verification.outcome == VerifyOutcome::kHolds);
  return run;
}

/// The same for a run of at most `passes` passes.
inline VerifiedRun CheckVerifies(const Problem& problem, TrainOptions options, Index passes = 30) {
  options.max_passes = passes;
  VerifiedRun run = TrainVerified(problem, options);
  CHECK(std::isfinite(run.verification.dual));
  return run;
}

/// Checks that a claim which differs from the result of the run is rejected.
inline void CheckFails(const Problem& problem, const TrainOptions& options, const VerifiedRun& run,
                       const ProgressRecord& claim) {
  CHECK(VerifyCertificate(problem, run.summary.weights, claim, options,
                          run.learner->traits().dual_point)
            .outcome == VerifyOutcome::kFails);
}

/// Checks what holds for a run on any problem: figures are finite, and the dual is at most the
/// primal.
inline void CheckNumbers(const TrainSummary& summary) {
  CHECK(std::isfinite(summary.last.primal));
  CHECK(std::isfinite(summary.last.dual));
  CHECK(summary.last.dual <= summary.last.primal);
  for (const double w : summary.weights) CHECK(std::isfinite(w));
}

/// Trains on problems of extreme shapes. Checks that figures stay finite and the dual at most the
/// primal.
inline void CheckUnpleasantProblems(const TrainOptions& given) {
  Random random(4711);
  for (int shape = 0; shape < 8; ++shape) {
    ProblemOptions kind{.num_examples = shape == 0 ? 1 : 3};
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
      CAPTURE(shape);
      CAPTURE(lambda);
      for (int pass = 0; pass < 12; ++pass) {
        learner->RunPass(kNever);
        const Evaluation evaluation = learner->Evaluate(1);
        CHECK(std::isfinite(evaluation.primal));
        CHECK(std::isfinite(evaluation.dual));
        CHECK(evaluation.dual <=
              evaluation.primal + kExact * std::max(1.0, std::abs(evaluation.primal)));
        const auto& weights = learner->weights();
        CHECK(
            std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }));
      }
    }
  }
}

}  // namespace slackline::internal::test
