// SPDX-License-Identifier: BSD-3-Clause
//
// Learning with constraints on signs, on small grids of associative pairs. The optimum comes from
// an interior-point method (tests/support/prox_reference.h).
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/factors/agreement.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>

#include "tests/support/labelling_program.h"
#include "tests/support/learner_checks.h"
#include "tests/support/prox_reference.h"
#include "tests/support/quadratic_program.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kInputs = 3;

/// Grids of rows × 2 variables. Rows of pairs agree by Potts, columns by a weight per state. Labels
/// are drawn like chess boards, so that pairs without constraints would reward disagreement.
struct ChessGrids {
  Index states = 2;
  Index rows = 2;
  Index examples = 3;
};

/// The signs of the weights in the order of the layout: none for inputs, Potts, agreement.
std::vector<double> ExpectedSigns(const ChessGrids& grids) {
  std::vector<double> signs(grids.states * kInputs, 0.0);
  signs.push_back(-1);
  signs.insert(signs.end(), grids.states, 1.0);
  return signs;
}

Problem DrawGrids(Random& random, const ChessGrids& grids, double lambda) {
  auto layout = std::make_shared<WeightLayout>();
  const Index unary = layout->AddBlock("unary", grids.states, kInputs);
  const Index differ = layout->AddBlock("differ", 1);
  const Index agree = layout->AddBlock("agree", grids.states);
  auto rows = std::make_shared<FeatureRows>();
  const Index variables = 2 * grids.rows;
  for (Index i = 0; i < grids.examples * variables; ++i)
    rows->AddDense(std::vector<double>{random.Normal(), random.Normal(), 1});
  Dataset data(layout, rows);
  for (Index m = 0; m < grids.examples; ++m) {
    ModelBuilder builder(layout);
    std::vector<Index> labels;
    for (Index i = 0; i < variables; ++i) {
      builder.AddVariable(grids.states);
      builder.AddLinearFeatures(i, unary, i);
      const auto chess = static_cast<std::uint64_t>(i / 2 + i % 2) % grids.states;
      labels.push_back(static_cast<Index>(
          random.Below(8) > 0 ? chess : random.Below(static_cast<std::uint64_t>(grids.states))));
    }
    for (Index r = 0; r < grids.rows; ++r) {
      builder.AddFactor({2 * r, 2 * r + 1}, PottsFactor(grids.states), differ);
      for (Index c = 0; c < 2 && r > 0; ++c)
        builder.AddFactor({2 * r + c, 2 * r + c - 2}, AgreementFactor(grids.states), agree);
    }
    data.Add(builder.Build(), labels, m * variables);
  }
  return Problem(MakeTrainingSet(data, {}), lambda);
}

std::vector<double> SignsOf(const Problem& problem) {
  std::vector<double> signs(problem.num_weights(), 0.0);
  const SignConstraints found = AssociativeSigns(problem.data());
  for (const SignConstraints::Entry& entry : found.entries()) signs[entry.at] = entry.sign;
  return signs;
}

TrainOptions SignedRun(LearnerKind learner, StepKind step = StepKind::kAuto,
                       SolverKind oracle = SolverKind::kAuto) {
  return {.learner = learner, .step = step, .associative = true, .oracle = oracle};
}

std::vector<TrainOptions> SignedWays(Index states) {
  std::vector<TrainOptions> ways;
  std::vector<SolverKind> oracles = {SolverKind::kAuto, SolverKind::kExpansion,
                                     SolverKind::kMessages, SolverKind::kBruteForce,
                                     SolverKind::kMessagesBranchAndBound};
  if (states == 2) oracles.push_back(SolverKind::kRoof);
  ways.push_back(SignedRun(LearnerKind::kAuto));
  for (const SolverKind oracle : oracles) {
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway, StepKind::kFrankWolfe})
      ways.push_back(SignedRun(LearnerKind::kBcfw, step, oracle));
    ways.push_back(SignedRun(LearnerKind::kBcfw, StepKind::kPairwise, oracle));
    ways.back().proximal = Switch::kOff;
    ways.push_back(SignedRun(LearnerKind::kProxSdca, StepKind::kAuto, oracle));
  }
  for (const Index step : {1, 3, 4}) {
    ways.push_back(SignedRun(LearnerKind::kProxSdca));
    ways.back().own<ProxSdcaOptions>().sdca_step = step;
  }
  ways.push_back(SignedRun(LearnerKind::kBcfw, StepKind::kFrankWolfe));
  ways.back().own<BcfwOptions>().batch_start = true;
  ways.push_back(SignedRun(LearnerKind::kBcfw, StepKind::kFrankWolfe));
  ways.back().fixed_step = true;
  for (const AverageKind average : {AverageKind::kUniform, AverageKind::kWeighted}) {
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      ways.push_back(SignedRun(LearnerKind::kBcfw, step));
      ways.back().average = average;
    }
  }
  return ways;
}

bool KeepsActiveSets(const TrainOptions& options) {
  return options.learner == LearnerKind::kAuto ||
         (options.learner == LearnerKind::kBcfw && options.step != StepKind::kFrankWolfe);
}

/// A relative gap that a run reaches quickly: active sets converge linearly, Frank-Wolfe steps with
/// the number of passes. Steps by bounds on the curvature are far too short on such problems.
double ToleranceOf(const TrainOptions& options) {
  if (KeepsActiveSets(options)) return 1e-6;
  const bool bounds =
      options.learner == LearnerKind::kProxSdca && options.own<ProxSdcaOptions>().sdca_step >= 3;
  return bounds ? 0.5 : 0.05;
}

/// Trains, and compares the figures and the weights with the optimum.
void Compare(const Problem& problem, TrainOptions options, const Optimum& optimum) {
  CAPTURE(options.learner.name());
  CAPTURE(Name(options.step));
  CAPTURE(SolverKindName(options.oracle));
  CAPTURE(options.own<ProxSdcaOptions>().sdca_step);
  options.gap_tolerance = ToleranceOf(options);
  options.max_passes = 20000;
  const VerifiedRun run = TrainVerified(problem, options);
  CHECK(run.verification.dual_proved);
  const TrainSummary& summary = run.summary;
  const double room = kSolver * (1 + optimum.value);
  CHECK(summary.last.primal >= optimum.value - room);
  CHECK(summary.last.dual <= optimum.value + room);
  CHECK(summary.last.primal - summary.last.dual <=
        1.01 * options.gap_tolerance * summary.last.primal);
  const SignConstraints signs = AssociativeSigns(problem.data());
  CHECK(signs.FirstViolation(summary.weights) == nullptr);
  // P is λ-strongly convex: λ/2 ‖w − w*‖² ≤ P(w) − P*.
  double distance = 0;
  for (std::size_t k = 0; k < summary.weights.size(); ++k)
    distance += std::pow(summary.weights[k] - optimum.weights[k], 2);
  CHECK(0.5 * problem.lambda() * distance <= summary.last.primal - optimum.value + room);
}

}  // namespace

TEST_CASE("all ways to train reach the constrained optimum") {
  Random random(1);
  int binding = 0;
  for (const ChessGrids& grids : {ChessGrids{2, 2, 4}, ChessGrids{2, 3, 2}, ChessGrids{3, 2, 2}}) {
    for (const double lambda : {0.02, 0.1}) {
      CAPTURE(grids.states);
      CAPTURE(lambda);
      const Problem problem = DrawGrids(random, grids, lambda);
      REQUIRE(SignsOf(problem) == ExpectedSigns(grids));
      const Optimum optimum = SolveProx(problem.training(), lambda, 0, 0, ExpectedSigns(grids));
      // Steps on pairs of labellings find the same optimum.
      const ReferenceBracket bracket =
          BracketOptimum(problem.training(), lambda, {.signs = AssociativeSigns(problem.data())});
      CHECK(Near(bracket.lower, optimum.value, kSolver));
      CHECK(Near(bracket.upper, optimum.value, kSolver));
      // Without constraints, the optimum is smaller and has other signs.
      const Optimum free = SolveExact(problem.training(), lambda);
      CHECK(free.value <= optimum.value + kSolver);
      binding += free.value < optimum.value - 1e-3;
      for (const TrainOptions& options : SignedWays(grids.states))
        Compare(problem, options, optimum);
    }
  }
  CHECK(binding >= 5);
}

TEST_CASE("the dual never falls, and gaps are those of the definition") {
  Random random(2);
  const Problem problem = DrawGrids(random, {2, 3, 3}, 0.05);
  for (const StepKind step : {StepKind::kPairwise, StepKind::kAway, StepKind::kFrankWolfe}) {
    TrainOptions options = With(SignedRun(LearnerKind::kBcfw, step), "--proximal off");
    CheckDualNeverFalls(problem, options, 40, 1e-12);
    const auto learner = MakeLearner(problem, options);
    for (int pass = 0; pass < 6; ++pass) {
      const Evaluation evaluation = learner->Evaluate(1);
      CHECK(Near(evaluation.primal,
                 ExactPrimal(problem.training(), problem.lambda(), learner->weights()), kSolver));
      CHECK(evaluation.dual <= evaluation.primal);
      learner->RunPass(kNever);
    }
  }
}

TEST_CASE("l1 and smoothing keep the signs") {
  Random random(3);
  const Problem problem = DrawGrids(random, {2, 2, 3}, 0.1);
  for (const double l1 : {0.0, 0.02}) {
    for (const double smoothing : {0.0, 0.05}) {
      TrainOptions options = SignedRun(LearnerKind::kProxSdca);
      options.l1 = l1;
      options.smoothing = smoothing;
      options.gap_tolerance = 1e-3;
      CAPTURE(l1);
      CAPTURE(smoothing);
      const ReferenceBracket bracket = BracketOptimum(
          problem.training(), problem.lambda(),
          {.l1 = l1, .smoothing = smoothing, .signs = AssociativeSigns(problem.data())});
      const TrainSummary summary = TrainVerified(problem, options).summary;
      CHECK(summary.termination == Termination::kConverged);
      CHECK(summary.last.primal >= bracket.lower - kSolver);
      CHECK(summary.last.dual <= bracket.upper + kSolver);
      CHECK(AssociativeSigns(problem.data()).FirstViolation(summary.weights) == nullptr);
    }
  }
}

TEST_CASE("a weight of the wrong sign fails the verification") {
  Random random(4);
  const Problem problem = DrawGrids(random, {2, 2, 3}, 0.1);
  const TrainOptions options = SignedRun(LearnerKind::kAuto);
  TrainSummary summary = Train(problem, options);
  const auto verify = [&] {
    return VerifyCertificate(problem, summary.weights, summary.last, options, nullptr);
  };
  CHECK(verify().outcome == VerifyOutcome::kHolds);
  summary.weights[2 * kInputs] = 1e-12;
  const Verification verified = verify();
  CHECK(verified.outcome == VerifyOutcome::kFails);
  CHECK(verified.message.find("a weight has a sign that the constraints forbid") !=
        std::string::npos);
}

TEST_CASE("runs resume to the same result") {
  Random random(5);
  const Problem problem = DrawGrids(random, {3, 2, 4}, 0.02);
  CheckResume(problem, SignedRun(LearnerKind::kAuto));
  for (const StepKind step : {StepKind::kPairwise, StepKind::kAway, StepKind::kFrankWolfe})
    CheckResume(problem, SignedRun(LearnerKind::kBcfw, step, SolverKind::kExpansion));
  CheckResume(problem, SignedRun(LearnerKind::kProxSdca));
}

TEST_CASE("the choice of auto") {
  Random random(6);
  const auto reason = [&](const ChessGrids& grids) {
    return ChooseLearner(DrawGrids(random, grids, 0.1), SignedRun(LearnerKind::kAuto)).reason;
  };
  CHECK(reason({2, 2, 2}).find("roof duality") != std::string::npos);
  CHECK(reason({3, 2, 2}).find("message passing") != std::string::npos);
  CHECK(reason({3, 1, 2}).find("dynamic programming") != std::string::npos);
}

TEST_CASE("what cannot be combined is refused") {
  Random random(7);
  const Problem problem = DrawGrids(random, {3, 2, 2}, 0.1);
  const auto refusal = [&](const std::string& text) { return RefusalOf(problem, Given(text)); };
  const std::string bcfw = "--associative on --learner bcfw ";
  CHECK(refusal(bcfw + "--shards 2") == "--shards cannot be combined with --associative");
  CHECK(refusal(bcfw + "--step pairwise --planes on") ==
        "--associative cannot be combined with --planes on");
  CHECK(refusal(bcfw + "--rescaling slack") ==
        "--associative cannot be combined with --rescaling slack");
  CHECK(
      refusal(bcfw + "--kernel rbf").starts_with("--associative cannot be combined with --kernel"));
  CHECK(refusal("--associative on --learner soft")
            .starts_with("--associative on applies to --learner"));
  CHECK(refusal("--learner bcfw --oracle expansion") ==
        "oracle expansion makes graph cuts, which need --associative; use it, or --oracle auto");
}

TEST_CASE("tables of pairs with more than two states are refused") {
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("pair", 9);
  ModelBuilder builder(layout);
  builder.AddVariable(3);
  builder.AddVariable(3);
  builder.AddFactor({0, 1}, TableFactor({3, 3}), block);
  Dataset data(layout, nullptr);
  data.Add(builder.Build(), std::vector<Index>{0, 1}, 0);
  const Problem problem(MakeTrainingSet(data, {}), 0.1);
  CHECK_THROWS_WITH_AS(MakeLearner(problem, SignedRun(LearnerKind::kAuto)),
                       doctest::Contains("as Potts pairs and pairs with one weight per state do"),
                       DataError);
}
