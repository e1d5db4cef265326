// SPDX-License-Identifier: BSD-3-Clause
//
// What all learners of the folder have in common, in one table: certificates, replays,
// interruptions, and what is refused. How near each one comes to the optimum is in
// agreement_test.cc, and what its paper says in its own test.
#include <slackline/learning/reference/reference_learner.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/planes/plane_options.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/run/path_trainer.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/forest_problems.h"
#include "tests/support/learner_checks.h"
#include "tests/support/learner_ways.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Kind = LearnerKind;

struct ReferenceWay {
  Kind learner;
  const char* variant;
  void (*set)(TrainOptions*);
};

void AsItIs(TrainOptions*) {}
void FixedSteps(TrainOptions* options) { options->fixed_step = true; }

const ReferenceWay kReferenceWays[] = {
    {Kind::kExponentiatedGradient, "", AsItIs},
    {Kind::kExponentiatedGradient, "uniform",
     [](TrainOptions* o) { o->order = OrderKind::kUniform; }},
    {Kind::kExcessiveGap, "", AsItIs},
    {Kind::kExtragradient, "", AsItIs},
    {Kind::kSubgradient, "weighted", [](TrainOptions* o) { o->average = AverageKind::kWeighted; }},
    {Kind::kSubgradient, "uniform, suffix",
     [](TrainOptions* o) {
       o->order = OrderKind::kUniform;
       o->average = AverageKind::kSuffix;
     }},
    {Kind::kFrankWolfe, "", AsItIs},
    {Kind::kFrankWolfe, "fixed", FixedSteps},
    {Kind::kKernelFrankWolfe, "", AsItIs},
    {Kind::kKernelFrankWolfe, "fixed", FixedSteps},
    {Kind::kKernelBcfw, "", AsItIs},
    {Kind::kKernelBcfw, "fixed", FixedSteps},
    {Kind::kDlpw, "", AsItIs},
    {Kind::kSmoothDlpw, "", [](TrainOptions* o) { o->smoothing = 0.01; }},
    {Kind::kCuttingPlaneN, "", [](TrainOptions* o) { o->own<PlaneOptions>().prune_after = 3; }},
    {Kind::kBundle, "", [](TrainOptions* o) { o->own<PlaneOptions>().prune_after = 3; }},
};

bool IsDualLoss(Kind learner) { return learner == Kind::kDlpw || learner == Kind::kSmoothDlpw; }

TrainOptions OptionsOf(const ReferenceWay& way, Index passes) {
  TrainOptions options = Options(way.learner, StepKind::kAuto, 0);
  options.max_passes = passes;
  options.check_every = 1;
  if (UsesOracle(way.learner)) options.oracle = SolverKind::kBruteForce;
  way.set(&options);
  return options;
}

/// Calls check(problem, options) for each way that applies to the problem.
template <class Check>
void ForWays(const Problem& problem, Index passes, const Check& check) {
  for (const ReferenceWay& way : kReferenceWays) {
    if (IsKernelized(way.learner) && !HasInputs(problem)) continue;
    CAPTURE(Name(way.learner));
    CAPTURE(way.variant);
    check(problem, OptionsOf(way, passes));
  }
}

}  // namespace

TEST_CASE("the learners without a state are those of this table") {
  std::set<Kind> table;
  for (const ReferenceWay& way : kReferenceWays) table.insert(way.learner);
  for (const Kind learner : AllLearners()) {
    CAPTURE(Name(learner));
    const bool keeps_state = learner == Kind::kAuto || RecordOf(learner).keeps_state;
    CHECK(keeps_state == (table.count(learner) == 0));
  }
}

TEST_CASE("every certificate is that of the weights and of the dual point, around the optimum") {
  Random random(1);
  for (int trial = 0; trial < 6; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.3 : 0.05;
    const Problem problem(ForestProblem(random, trial), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    ForWays(problem, 9, [&](const Problem&, const TrainOptions& options) {
      CAPTURE(trial);
      if (!IsKernelized(options.learner) && !IsDualLoss(options.learner)) {
        const Evaluation last = CheckPasses(problem, options, optimum, 9);
        CHECK(last.problem == CertifiedProblem::kExact);
        return;
      }
      const auto learner = MakeLearner(problem, options);
      for (int pass = 0; pass < 9; ++pass) {
        learner->RunPass(kNever);
        const Evaluation evaluation = learner->Evaluate(1);
        CHECK(evaluation.primal >= optimum - kSolver);
        CHECK(evaluation.dual <= optimum + kSolver);
        const double at_point = ValueOfDualPoint(problem, *learner);
        CHECK(at_point <= evaluation.dual + kTight);
        if (!IsDualLoss(options.learner)) CHECK(at_point >= evaluation.dual - kTight);
      }
    });
  }
}

TEST_CASE("the dual never falls where the newest point is the best one") {
  Random random(73);
  const Problem problem(RandomMultiLabelProblem(random, 12, 4, 3, false), 0.02);
  int learners = 0;
  ForWays(problem, 1, [&](const Problem& of, const TrainOptions& options) {
    if (!MakeLearner(of, options)->traits().dual_point->DualPointIsBest()) return;
    CheckDualNeverFalls(of, options, 100, kExact);
    ++learners;
  });
  CHECK(learners == 5);  // fw and kernel-fw, kernel-bcfw, cutting planes, bmrm
}

TEST_CASE("another solver confirms the certificates") {
  Random random(2);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(ForestProblem(random, trial), 0.1);
    ForWays(problem, 30, [](const Problem& of, const TrainOptions& options) {
      const VerifiedRun run = CheckVerifies(of, options);
      if (run.learner->traits().dual_point->DualPointIsBest()) CHECK(run.verification.dual_proved);
      ProgressRecord wrong = run.summary.last;
      wrong.primal = 0.5 * (wrong.dual + wrong.primal) - 1e-3 * wrong.primal;
      wrong.dual = 0;
      if (!IsDualLoss(options.learner) && wrong.primal > 1e-3) CheckFails(of, options, run, wrong);
    });
  }
}

TEST_CASE("forbidden states are supported where marginals or an oracle are") {
  Random random(3);
  for (int trial = 0; trial < 4; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.forest = true;
    shape.forbidden = true;
    const Problem problem(RandomProblem(random, shape), 0.2);
    const double optimum = ExactOptimum(problem.training(), 0.2);
    ForWays(problem, 30, [&](const Problem&, const TrainOptions& options) {
      if (IsDualLoss(options.learner)) return;
      const Run run = TrainOn(problem, options, optimum);
      CHECK(run.sound);
    });
  }
}

TEST_CASE("runs replay, with any number of threads") {
  Random random(4);
  const Problem problem(RandomMultiLabelProblem(random, 20, 4, 3, false), 0.02);
  ForWays(problem, 12,
          [](const Problem& of, const TrainOptions& options) { CheckReplay(of, options, 12); });
}

TEST_CASE("evaluations do not change the run") {
  Random random(5);
  const Problem problem(RandomMultiLabelProblem(random, 8, 4, 3, false), 0.05);
  ForWays(problem, 1, [](const Problem& of, const TrainOptions& options) {
    const auto checked = MakeLearner(of, options);
    const auto unchecked = MakeLearner(of, options);
    for (int pass = 0; pass < 6; ++pass) {
      checked->RunPass(kNever);
      unchecked->RunPass(kNever);
      checked->Evaluate(2);
    }
    CHECK(checked->Evaluate(1).primal == unchecked->Evaluate(1).primal);
    CHECK(std::equal(checked->weights().begin(), checked->weights().end(),
                     unchecked->weights().begin()));
  });
}

TEST_CASE("the state after an interrupted pass can be evaluated") {
  Random random(6);
  const Problem problem(RandomMultiLabelProblem(random, 8, 4, 3, false), 0.05);
  const double optimum = ExactOptimum(problem.training(), 0.05);
  const std::atomic<int> interrupt{SIGINT};
  const StopControl stopped(&interrupt, 0);
  ForWays(problem, 1, [&](const Problem&, const TrainOptions& options) {
    const auto learner = MakeLearner(problem, options);
    for (int pass = 0; pass < 16; ++pass) {
      learner->RunPass(pass % 2 == 0 ? stopped : kNever);
      const Evaluation evaluation = learner->Evaluate(1);
      CHECK(evaluation.dual <= optimum + kSolver);
      CHECK(evaluation.primal >= optimum - kSolver);
    }
  });
}

TEST_CASE("figures are finite and sound on unpleasant problems") {
  Random random(7);
  for (int trial = 0; trial < 12; ++trial) {
    ProblemOptions shape = RandomHardOptions(random);
    shape.forest = true;
    shape.duplicate_factors = false;
    shape.forbidden = false;
    shape.zero_features = trial % 5 == 4;
    const TrainingSet training = RandomProblem(random, shape);
    for (const double lambda : {1e-30, 1e-8, 1e-4, 1.0, 1e8, 1e30}) {
      const Problem problem(training, lambda);
      CAPTURE(trial);
      CAPTURE(lambda);
      ForWays(problem, 15, [lambda](const Problem& of, const TrainOptions& options) {
        const bool extreme = lambda < 1e-20 || lambda > 1e20;
        if (extreme && !UsesMarginals(options.learner)) return;
        const auto learner = MakeLearner(of, options);
        const TrainSummary summary = RunTraining(of, *learner, options, nullptr, nullptr);
        CheckNumbers(summary);
        const Verification verification = VerifyCertificate(of, summary.weights, summary.last,
                                                            options, learner->traits().dual_point);
        CAPTURE(verification.message);
        CHECK(verification.outcome == VerifyOutcome::kHolds);
      });
    }
  }
}

TEST_CASE("each lambda of a path begins anew") {
  Random random(8);
  const Problem first(RandomMultiLabelProblem(random, 6, 4, 3, false), 0.5);
  ForWays(first, 6, [&](const Problem&, const TrainOptions& options) {
    CHECK(MakeLearner(first, options)->traits().lambda == nullptr);
    PathTrainer path(first, options);
    for (const double lambda : {0.5, 0.1, 0.3})
      CheckSame(path.Train(lambda, nullptr), Train(first.WithLambda(lambda), options));
    TrainOptions kernel = options;
    if (IsKernelized(options.learner)) return;
    kernel.kernel = KernelKind::kRbf;  // a learner of mapped inputs
    PathTrainer mapped(first, kernel);
    mapped.Train(0.5, nullptr);
    CheckSame(mapped.Train(0.1, nullptr), Train(first.WithLambda(0.1), kernel));
  });
}

TEST_CASE("states, shards, averages, other steps and structures are refused") {
  Random random(9);
  const Problem chain(RandomMultiLabelProblem(random, 4, 3, 2, false), 0.1);
  const Problem cycle(RandomMultiLabelProblem(random, 4, 3, 2, true), 0.1);
  ForWays(chain, 1, [&](const Problem&, const TrainOptions& options) {
    const std::string name(Name(options.learner));
    CHECK(MessageOf<DataError>([&] {
            RequireState(options.learner, "--checkpoint");
          }).starts_with("--checkpoint: learner " + name + " saves no state; use --learner auto"));
    StateWriter writer;
    CHECK_THROWS_AS(MakeLearner(chain, options)->Save(&writer), std::logic_error);
    TrainOptions other = options;
    other.shards = 2;
    CHECK(RefusalOf(other).find("--shards") != std::string::npos);
    other = options;
    other.average = AverageKind::kWeighted;
    const bool averages = options.learner == Kind::kSubgradient;
    CHECK((RefusalOf(other) == "accepted") == averages);
    other = options;
    other.step = StepKind::kPairwise;
    CHECK(RefusalOf(other).find("learner " + name + " takes ") != std::string::npos);
    other = options;
    other.order = OrderKind::kUniform;
    CHECK((RefusalOf(other) == "accepted") == RecordOf(options.learner).own_order.empty());
    if (UsesMarginals(options.learner)) CHECK_THROWS_AS(MakeLearner(cycle, options), DataError);
  });
  for (const Kind learner : {Kind::kAuto, Kind::kBcfw, Kind::kCuttingPlane1})
    CHECK_NOTHROW(RequireState(learner, "--checkpoint"));
}
