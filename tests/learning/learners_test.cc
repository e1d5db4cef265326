// SPDX-License-Identifier: BSD-3-Clause
//
// Compares all learners with the optima of an independent quadratic program
// (tests/support/dense_qp.h), on random problems with binary and multi-state variables, pairs and
// triples, forests and cycles, tied and untied weights.

#include <algorithm>

#include <doctest/doctest.h>

#include <slackline/learning/bcfw.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>

#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr int kLearnerTrials = 24;

}  // namespace

TEST_CASE("the augmented Lagrangian closes the gap around the relaxed optimum") {
  Random random(21);
  for (int trial = 0; trial < kLearnerTrials; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.02;
    const Problem problem(SomeProblem(random, trial), lambda);
    const double optimum = RelaxedOptimum(problem.training(), lambda);
    const Run run = TrainOn(
        problem, Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-6), optimum);
    CAPTURE(trial);
    CheckConverged(run, optimum, 1e-5);
  }
}

TEST_CASE("the augmented Lagrangian closes the gap with Frank-Wolfe steps and in uniform order") {
  for (const bool uniform : {false, true}) {
    Random random(uniform ? 24 : 22);
    TrainOptions options = Options(LearnerKind::kAugmentedLagrangian, StepKind::kFrankWolfe, 1e-3);
    if (uniform) Set(&options, "--step pairwise --order uniform --gap-tolerance 1e-5");
    if (uniform) options.absolute_gap = options.gap_tolerance;
    for (int trial = 0; trial < (uniform ? 8 : kLearnerTrials / 2); ++trial) {
      const Problem problem(SomeProblem(random, trial), 0.1);
      CAPTURE(uniform);
      CAPTURE(trial);
      CheckConverged(TrainOn(problem, options, RelaxedOptimum(problem.training(), 0.1)));
    }
  }
}

TEST_CASE("the augmented Lagrangian converges for any rho and tau") {
  Random random(23);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    const double optimum = RelaxedOptimum(problem.training(), 0.1);
    for (const double factor : {1e-3, 0.1, 100.0, 1000.0}) {
      for (const double tau : {1.0, 0.05}) {
        TrainOptions options =
            Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-4);
        options.own<PenaltyOptions>().rho = factor * problem.penalty_scale();
        options.own<AugmentedLagrangianOptions>().tau = tau;
        const Run run = TrainOn(problem, options, optimum);
        CAPTURE(trial);
        CAPTURE(factor);
        CAPTURE(tau);
        CheckConverged(run);
      }
    }
  }
}

TEST_CASE("soft reaches the penalised optimum with both steps") {
  Random random(25);
  for (int trial = 0; trial < kLearnerTrials; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    const double rho = trial % 2 == 0 ? 1.0 : 0.1;
    TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-6);
    options.own<PenaltyOptions>().rho = rho;
    CAPTURE(trial);
    CheckSoftOptimum(problem, options, SoftOptimum(problem.training(), 0.1, rho));
  }
}

TEST_CASE("rho in the paper's scale is rho / M") {
  Random random(26);
  const Problem problem(RandomMultiLabelProblem(random, 5, 4, 3, true), 0.1);
  TrainOptions example = With(Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-6), "--rho 2.0");
  TrainOptions paper = example;
  paper.own<PenaltyOptions>().rho = 2.0 / 5;
  paper.own<PenaltyOptions>().rho_scale = RhoScale::kPaper;
  CHECK(Near(Train(problem, example).last.soft_dual, Train(problem, paper).last.soft_dual, kExact));
}

TEST_CASE("the rho schedule ends at the problem of the final rho") {
  Random random(27);
  const Problem problem(RandomMultiLabelProblem(random, 5, 4, 3, true), 0.1);
  TrainOptions options = With(Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-7),
                              "--rho 3.0 --rho-final 0.05 --rho-passes 20");
  const TrainSummary summary = Train(problem, options);
  CHECK(summary.last.rho == doctest::Approx(0.05));
  CHECK(summary.last.pass >= 20);
  CHECK(Near(summary.last.soft_dual, SoftOptimum(problem.training(), 0.1, 0.05), 1e-6));
}

TEST_CASE("bcfw reaches the optimum of its oracle's domain") {
  Random random(28);
  for (int trial = 0; trial < kLearnerTrials / 2; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.3);
    CAPTURE(trial);
    TrainOptions options = Options(LearnerKind::kBcfw, StepKind::kFrankWolfe, 1e-3);
    options.oracle = SolverKind::kBruteForce;
    const double exact = ExactOptimum(problem.training(), 0.3);
    const Run enumerated = TrainOn(problem, options, exact);
    CheckConverged(enumerated);
    CHECK(enumerated.summary.last.problem == CertifiedProblem::kExact);

    if (HasGlpk()) {
      const double relaxed = RelaxedOptimum(problem.training(), 0.3);
      options.oracle = SolverKind::kLp;
      options.order = trial % 2 == 0 ? OrderKind::kExample : OrderKind::kUniform;
      const Run lp = TrainOn(problem, options, relaxed);
      CheckConverged(lp, relaxed, 3e-3);
      CHECK(lp.summary.last.problem == CertifiedProblem::kRelaxed);
    }
  }
}

TEST_CASE("active sets close the gap around the optimum of the oracle's domain") {
  Random random(34);
  for (int trial = 0; trial < kLearnerTrials; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.01;
    const Problem problem(SomeProblem(random, trial), lambda);
    CAPTURE(trial);
    TrainOptions options = Options(LearnerKind::kBcfw, StepKind::kPairwise, 1e-6);
    if (trial % 2 == 0) options.step = StepKind::kAway;
    options.order = trial % 3 == 0   ? OrderKind::kAuto
                    : trial % 3 == 1 ? OrderKind::kExample
                                     : OrderKind::kUniform;
    const bool binary = trial % 4 == 0;  // roof duality: the relaxed problem, without GLPK
    options.oracle = binary ? SolverKind::kRoof : SolverKind::kBruteForce;
    const double optimum = binary ? RelaxedOptimum(problem.training(), lambda)
                                  : ExactOptimum(problem.training(), lambda);
    const Run run = TrainOn(problem, options, optimum);
    CheckConverged(run, optimum, 3e-6);
    CHECK(run.summary.last.problem ==
          (binary ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact));
    if (!HasGlpk()) continue;
    options.oracle = SolverKind::kLp;
    const double relaxed = RelaxedOptimum(problem.training(), lambda);
    const Run lp = TrainOn(problem, options, relaxed);
    CheckConverged(lp, relaxed, 3e-6);
  }
}

TEST_CASE("averages have sound bounds and the reported primal") {
  Random random(35);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 10, 4, 3, true), 0.05);
    const double optimum = RelaxedOptimum(problem.training(), 0.05);
    for (const AverageKind average :
         {AverageKind::kUniform, AverageKind::kWeighted, AverageKind::kSuffix}) {
      for (const StepKind step : {StepKind::kFrankWolfe, StepKind::kPairwise}) {
        TrainOptions options = With(Options(LearnerKind::kBcfw, step, 1e-3), "--oracle roof");
        options.average = average;
        const Run run = TrainOn(problem, options, optimum);
        CheckConverged(run);
        // The saved weights, average or not, have the reported primal.
        CHECK(Near(run.summary.last.primal,
                   RelaxedPrimal(problem.training(), 0.05, run.summary.weights), kSolver));
      }
    }
  }
}

TEST_CASE("the reported primal bounds the recomputed one at the saved weights") {
  Random random(30);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    for (const LearnerKind learner : {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft}) {
      TrainOptions options = With(Options(learner, StepKind::kPairwise, 1e-4), "--max-passes 40");
      const TrainSummary summary = Train(problem, options);
      // g(w,δ) ≥ min_δ g(w,δ) ≥ P(w), recomputed by linear programs and by enumeration.
      const double relaxed = RelaxedPrimal(problem.training(), 0.1, summary.weights);
      CHECK(summary.last.primal >= relaxed - kSolver);
      CHECK(relaxed >= ExactPrimal(problem.training(), 0.1, summary.weights) - kSolver);
    }
    TrainOptions options = Options(LearnerKind::kBcfw, StepKind::kFrankWolfe, 1e-2);
    options.oracle = SolverKind::kBruteForce;
    const TrainSummary summary = Train(problem, options);
    CHECK(Near(summary.last.primal, ExactPrimal(problem.training(), 0.1, summary.weights), kTight));
  }
}

TEST_CASE("runs replay, with any number of threads") {
  Random random(31);
  const Problem problem(RandomMultiLabelProblem(random, 40, 5, 3, true), 0.01);
  for (const LearnerKind learner : {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft,
                                    LearnerKind::kBcfw, LearnerKind::kAuto}) {
    TrainOptions options = Options(learner, StepKind::kAuto, 1e-9);
    if (learner == LearnerKind::kBcfw) options.oracle = SolverKind::kBruteForce;
    const TrainSummary once = CheckReplay(problem, options, 60);
    Set(&options, "--max-passes 60 --seed 2");
    CHECK(once.weights != Train(problem, options).weights);
  }
}

TEST_CASE("runs with linear programs replay, with any number of threads") {
  if (!HasGlpk()) return;
  Random random(36);
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.01);
    TrainOptions options = Options(
        LearnerKind::kBcfw, trial % 2 == 0 ? StepKind::kFrankWolfe : StepKind::kPairwise, 1e-9);
    Set(&options, "--oracle lp --check-every 3");
    CheckReplay(problem, options, 30);
  }
}

TEST_CASE("steps after convergence keep the dual below the optimum") {
  Random random(37);
  for (int trial = 0; trial < 16; ++trial) {
    const double lambda = trial % 2 == 0 ? 1e-3 : 0.1;
    const Problem problem(SomeProblem(random, trial), lambda);
    for (const StepKind step : {StepKind::kAway, StepKind::kPairwise}) {
      TrainOptions options = With(Options(LearnerKind::kBcfw, step, 0),
                                  "--absolute-gap 0 --oracle brute-force --max-passes 200");
      const double optimum = ExactOptimum(problem.training(), lambda);
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CHECK(run.sound);
      // With weak regularisation the blocks are so strongly coupled that 200 passes are not enough.
      if (lambda > 0.01) CHECK(Near(run.summary.last.dual, optimum, 1e-3));
    }
  }
}

TEST_CASE("evaluations do not change the run") {
  // soft saves the newest weights and bcfw the best ones; with one check both are those of the last
  // pass.
  Random random(32);
  const Problem problem(RandomMultiLabelProblem(random, 20, 5, 3, true), 0.01);
  for (const LearnerKind kind : {LearnerKind::kSoft, LearnerKind::kBcfw, LearnerKind::kAuto}) {
    TrainOptions options = Options(kind, StepKind::kAuto, 0);
    if (kind == LearnerKind::kBcfw) options.oracle = SolverKind::kBruteForce;
    options.own<BcfwOptions>().planes =
        Switch::kOff;  // a race learns from checks how good its estimates are
    const auto checked = MakeLearner(problem, options);
    const auto unchecked = MakeLearner(problem, options);
    for (int pass = 0; pass < 20; ++pass) {
      checked->RunPass(kNever);
      unchecked->RunPass(kNever);
      checked->Evaluate(1);
    }
    const Evaluation a = checked->Evaluate(1);
    const Evaluation b = unchecked->Evaluate(1);
    CHECK(a.primal == b.primal);
    CHECK(std::ranges::equal(checked->weights(), unchecked->weights()));
  }
}

TEST_CASE("the dual rises with features of very different sizes") {
  // Corners that differ only in a feature of size 1: their distance is lost in the rounding of
  // inner products of size 1e16.
  Random random(38);
  for (int trial = 0; trial < 40; ++trial) {
    ProblemOptions shape{.num_examples = 1 + trial % 2,
                         .max_states = 2,
                         .num_factors = 2,
                         .forest = true,
                         .inputs = InputKind::kSparse,
                         .loss = LossScale::kCount};
    shape.input_dimension = 1;  // half of the variables have no feature of their own
    shape.input_scale = 1e8;
    const Problem problem(RandomProblem(random, shape), trial % 3 == 0 ? 0.1 : 0.01);
    for (const StepKind step : {StepKind::kAway, StepKind::kPairwise}) {
      TrainOptions options =
          With(Options(LearnerKind::kBcfw, step, 0), "--oracle brute-force --order example");
      options.proximal = Switch::kOff;  // with a centre the dual may fall between passes
      CAPTURE(trial);
      CheckDualNeverFalls(problem, options, 60, 1e-6);
    }
  }
}
