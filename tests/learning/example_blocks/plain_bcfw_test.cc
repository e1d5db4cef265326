// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of plain bcfw beyond learners_test: fixed steps, averages and loose linear programs.
#include <slackline/core/check.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/plain_bcfw.h>
#include <slackline/learning/oracle/inexact_options.h>

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/dense_labellings.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions FixedOptions(AverageKind average = AverageKind::kAuto,
                          OrderKind order = OrderKind::kAuto) {
  TrainOptions options = With(Options(LearnerKind::kBcfw, StepKind::kFrankWolfe, 0),
                              "--absolute-gap 0 --oracle brute-force --fixed-step on");
  options.average = average;
  options.order = order;
  return options;
}

std::string TrainingRefusal(const Problem& problem, const TrainOptions& options) {
  return MessageOf<DataError>([&] { Train(problem, options); });
}

/// R² = max ‖ψ_m(y)‖² over all examples and labellings.
double LargestSquaredPsi(const Problem& problem) {
  double largest = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    for (const PsiAndLoss& y : LabellingsByPsi(problem, m))
      largest = std::max(largest, y.psi.squaredNorm());
  }
  return largest;
}

}  // namespace

TEST_CASE("fixed steps have sound bounds with all averages") {
  Random random(91);
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.2);
    const double optimum = ExactOptimum(problem.training(), 0.2);
    for (const AverageKind average :
         {AverageKind::kOff, AverageKind::kUniform, AverageKind::kWeighted, AverageKind::kSuffix}) {
      for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
        CAPTURE(trial);
        CheckPasses(problem, FixedOptions(average, order), optimum, 9);
      }
    }
  }
}

TEST_CASE("fixed steps converge at the rate of the theorem") {
  // Theorem 2: E[f] − f* ≤ 2n/(k + 2n) (C + h_0), with C ≤ 4R²/(λn) and h_0 = the optimum (the
  // start has value 0).
  Random random(92);
  for (int trial = 0; trial < 4; ++trial) {
    const double lambda = 0.3;
    const Problem problem(SomeProblem(random, trial), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    const double n = problem.size();
    const double constant = 4 * LargestSquaredPsi(problem) / (lambda * n) + optimum;
    constexpr int kSeeds = 10;
    std::vector<double> errors(60, 0.0);
    for (int seed = 1; seed <= kSeeds; ++seed) {
      TrainOptions options = FixedOptions(AverageKind::kOff, OrderKind::kUniform);
      options.seed = seed;
      const auto learner = MakeLearner(problem, options);
      for (double& error : errors) {
        learner->RunPass(kNever);
        error += (optimum - learner->Evaluate(1).dual) / kSeeds;
      }
    }
    for (std::size_t pass = 0; pass < errors.size(); ++pass) {
      const double k = n * static_cast<double>(pass + 1);
      CAPTURE(pass);
      CHECK(errors[pass] <= 2 * n / (k + 2 * n) * constant);
      CHECK(errors[pass] >= -kSolver);
    }
    CHECK(errors.back() < 0.2 * (optimum - 0));
  }
}

TEST_CASE("runs with fixed steps replay, resume, verify and stand unpleasant problems") {
  Random random(93);
  const Problem problem(RandomMultiLabelProblem(random, 20, 5, 3, true), 0.02);
  for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
    for (const AverageKind average : {AverageKind::kWeighted, AverageKind::kSuffix}) {
      CheckReplay(problem, FixedOptions(average, order));
      CheckResume(problem, FixedOptions(average, order));
    }
  }
  CheckVerifies(problem, FixedOptions());
  CheckUnpleasantProblems(FixedOptions(AverageKind::kUniform));
}

TEST_CASE("averages do not change fixed steps, and are often better") {
  Random random(94);
  int better = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 20, 4, 3, true), 0.02);
    Evaluation evaluations[2];
    for (const bool average : {false, true}) {
      const auto learner =
          MakeLearner(problem, FixedOptions(average ? AverageKind::kWeighted : AverageKind::kOff));
      for (int pass = 0; pass < 20; ++pass) learner->RunPass(kNever);
      evaluations[average] = learner->Evaluate(1);
    }
    CHECK(evaluations[0].dual == evaluations[1].dual);
    CHECK(evaluations[1].primal <= evaluations[0].primal);
    better += evaluations[1].primal < evaluations[0].primal;
  }
  CHECK(better >= 3);
}

TEST_CASE("certificates are right with loose linear programs") {
  if (!HasGlpk()) return;
  Random random(95);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.3);
    const double optimum = RelaxedOptimum(problem.training(), 0.3);
    for (const SolverKind oracle : {SolverKind::kLp, SolverKind::kLpPolytope}) {
      for (const double tolerance : {1e-9, 1e-4, 0.1}) {
        TrainOptions options = With(FixedOptions(), "--fixed-step off");
        options.oracle = oracle;
        options.own<InexactOptions>().lp_tolerance = tolerance;
        CAPTURE(trial);
        CAPTURE(tolerance);
        CheckPasses(problem, options, optimum, 6);
        Set(&options, "--gap-tolerance 2e-2 --absolute-gap 2e-2 --max-passes 3000");
        const Run run = TrainOn(problem, options, optimum);
        CHECK(run.sound);
        if (tolerance < 1e-3) CHECK(run.summary.termination == Termination::kConverged);
      }
    }
  }
}

TEST_CASE("the LP tolerance is refused where it has no effect") {
  Random random(96);
  const Problem problem(RandomMultiLabelProblem(random, 3, 3, 2, true), 0.1);
  TrainOptions options =
      With(FixedOptions(), "--fixed-step off --lp-tolerance 1e-3 --max-passes 1");
  if (!HasGlpk()) {
    options.oracle = SolverKind::kLp;
    CHECK(TrainingRefusal(problem, options) ==
          "--lp-tolerance needs GLPK, which this build does not have");
    return;
  }
  CHECK(TrainingRefusal(problem, options) == "--lp-tolerance needs --oracle lp or lp-polytope");
  options.oracle = SolverKind::kLp;
  CHECK(TrainingRefusal(problem, options) == "accepted");
  options.step = StepKind::kPairwise;
  CHECK(TrainingRefusal(problem, options) ==
        "--lp-tolerance needs --step fw: active sets need exact oracles");
  // With the default step, --learner auto chooses the steps that read the option.
  Set(&options, "--learner auto --step auto");
  CHECK(TrainingRefusal(problem, options) == "accepted");
}
