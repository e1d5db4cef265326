// SPDX-License-Identifier: BSD-3-Clause
//
// Training with the loss 1 − F1: the loss, its oracle against enumeration, and all learners that
// support it, which must bracket one optimum.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/oracle/count_loss_oracle.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify/verify.h>
#include <slackline/learning/verify/verify_hinge.h>

#include "tests/support/losses.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/option_text.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr double kCountLambda = 0.02;

/// Examples with a chain of labels, or with unconnected labels.
Problem F1Problem(std::uint64_t seed, Index examples, Index labels, bool joined) {
  Random random(seed);
  const TrainingSet plain =
      RandomMultiLabelProblem(random, examples, joined ? labels : 1, 3, false);
  const LossOptions loss = LossWith(LossForm::kF1);
  if (joined) return {MakeTrainingSet(plain.data, loss), kCountLambda};
  // RandomMultiLabelProblem always connects its labels: only its inputs are used here.
  const auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("labels", labels, 3);
  FactorGraphBuilder graph;
  graph.AddVariables(labels, 2);
  StructureBuilder structure(graph.Build(), layout);
  const Index on = structure.AddStateMap({{kAbsent, 0}, {}});
  for (Index i = 0; i < labels; ++i) structure.AddLinear(i, block, 0, on, i);
  const auto shared = structure.Build();
  Dataset own(layout, plain.data.rows());
  for (Index m = 0; m < examples; ++m) {
    std::vector<Index> chosen(labels);
    for (Index& label : chosen) label = random.Below(3) == 0;
    own.Add(shared, chosen, plain.data.first_input(m));
  }
  return {MakeTrainingSet(own, loss), kCountLambda};
}

/// 1 − 2PR/(P + R), with precision P and recall R.
double LossByDefinition(std::span<const Index> truth, std::span<const Index> labels) {
  double hits = 0;
  double relevant = 0;
  double found = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    hits += truth[i] == 1 && labels[i] == 1;
    relevant += truth[i];
    found += labels[i];
  }
  if (relevant == 0 && found == 0) return 0;
  if (hits == 0) return 1;
  const double precision = hits / found;
  const double recall = hits / relevant;
  return 1 - 2 * precision * recall / (precision + recall);
}

/// The largest Δ + w·φ of example m by enumeration.
double LargestByEnumeration(const Problem& problem, Index m, std::span<const double> u) {
  const ExampleView example = problem.data().example(m);
  const Index n = example.graph().num_variables();
  double best = -kInfinity;
  std::vector<Index> labels(n);
  std::vector<double> features(u.size());
  for (Index code = 0; code < Index{1} << n; ++code) {
    for (Index i = 0; i < n; ++i) labels[i] = code >> i & 1;
    std::fill(features.begin(), features.end(), 0.0);
    AddLabellingFeatures(example, labels, 1, features);
    double score = LossByDefinition(example.labels(), labels);
    for (std::size_t k = 0; k < u.size(); ++k) score += u[k] * features[k];
    best = std::max(best, score);
  }
  return best;
}

double PrimalByEnumeration(const Problem& problem, std::span<const double> weights) {
  double hinge = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    std::vector<double> u(example.structure().num_coordinates());
    std::vector<double> truth(u.size());
    CoordinateScores(example, weights, u);
    AddLabellingFeatures(example, example.labels(), 1, truth);
    hinge += LargestByEnumeration(problem, m, u);
    for (std::size_t k = 0; k < u.size(); ++k) hinge -= u[k] * truth[k];
  }
  return Regulariser(problem.lambda(), weights) + hinge / problem.size();
}

struct WayToTrain {
  std::string name;
  TrainOptions options;
};

std::vector<WayToTrain> WaysToTrain() {
  std::vector<WayToTrain> ways;
  const auto add = [&ways](const std::string& name, LearnerKind learner) -> TrainOptions& {
    ways.push_back({name, {}});
    TrainOptions& options = ways.back().options;
    options.learner = learner;
    Set(&options, "--gap-tolerance 1e-3 --max-passes 3000");
    return options;
  };
  add("auto", LearnerKind::kAuto);
  add("pairwise", LearnerKind::kBcfw).step = StepKind::kPairwise;
  add("away", LearnerKind::kBcfw).step = StepKind::kAway;
  add("bcfw", LearnerKind::kBcfw);
  add("fw", LearnerKind::kFrankWolfe);
  add("ssg", LearnerKind::kSubgradient);
  add("cutting-plane-1", LearnerKind::kCuttingPlane1);
  add("cutting-plane-n", LearnerKind::kCuttingPlaneN);
  add("bmrm", LearnerKind::kBundle);
  return ways;
}

}  // namespace

TEST_CASE("the loss follows from precision and recall, and is 0 for the ground truth") {
  CHECK(F1Loss(0, 0, 0) == 0);
  CHECK(F1Loss(0, 0, 3) == 1);
  CHECK(F1Loss(4, 0, 0) == 1);
  CHECK(F1Loss(2, 2, 0) == 0);
  CHECK(Near(F1Loss(2, 1, 1), 0.5, kExact));
  const Problem problem = F1Problem(1, 5, 4, true);
  for (Index m = 0; m < problem.size(); ++m) {
    const std::span<const Index> truth = problem.data().example(m).labels();
    CHECK(problem.training().LossOf(m, truth) == 0);
    for (Index code = 0; code < 16; ++code) {
      const std::vector<Index> labels = {code & 1, code >> 1 & 1, code >> 2 & 1, code >> 3 & 1};
      CHECK(Near(problem.training().LossOf(m, labels), LossByDefinition(truth, labels), kExact));
    }
  }
  CHECK(PrimalAtZeroWeights(problem) == 1);
}

TEST_CASE("the oracle agrees with enumeration") {
  Random random(2);
  for (const bool joined : {false, true}) {
    const Problem problem = F1Problem(3, 30, 5, joined);
    CountLossOracle oracle(problem);
    for (Index m = 0; m < problem.size(); ++m) {
      const ExampleView example = problem.data().example(m);
      std::vector<double> u(example.structure().num_coordinates());
      for (double& score : u) score = (m % 3) * random.Normal();
      std::vector<Index> labels(5);
      CHECK(Near(oracle.Maximise(m, u, labels), LargestByEnumeration(problem, m, u), kExact));
    }
  }
}

TEST_CASE("the verifier's hinge agrees with enumeration, and its bound is no larger") {
  Random random(9);
  for (const bool joined : {false, true}) {
    const Problem problem = F1Problem(4, 30, 5, joined);
    HingeVerifier verifier(problem, SolverKind::kAuto, CertifiedProblem::kExact, Rescaling::kMargin,
                           0);
    for (Index m = 0; m < problem.size(); ++m) {
      const ExampleView example = problem.data().example(m);
      std::vector<double> weights(problem.num_weights());
      for (double& w : weights) w = (m % 3) * random.Normal();
      std::vector<double> u(example.structure().num_coordinates());
      std::vector<double> truth(u.size());
      CoordinateScores(example, weights, u);
      AddLabellingFeatures(example, example.labels(), 1, truth);
      double hinge = LargestByEnumeration(problem, m, u);
      for (std::size_t k = 0; k < u.size(); ++k) hinge -= u[k] * truth[k];
      const VerifiedHinge verified = verifier.Maximise(m, u, weights);
      CHECK(Near(verified.value, hinge, kTight));
      CHECK(Near(verified.bound, hinge, kTight));
    }
  }
}

TEST_CASE("all learners that support the loss bracket one optimum, and verification agrees") {
  for (const bool joined : {false, true}) {
    const Problem problem = F1Problem(joined ? 5 : 7, 12, 4, joined);
    double most = kInfinity;
    double least = -kInfinity;
    for (const WayToTrain& way : WaysToTrain()) {
      CAPTURE(way.name);
      CAPTURE(joined);
      const std::unique_ptr<Learner> learner = MakeLearner(problem, way.options);
      const TrainOptions options = ChooseLearner(problem, way.options).options;
      const TrainSummary summary = RunTraining(problem, *learner, options, nullptr, nullptr);
      CHECK(Near(summary.last.primal, PrimalByEnumeration(problem, summary.weights), kSolver));
      CHECK(summary.last.problem == CertifiedProblem::kExact);
      CHECK(summary.last.relative_gap < 0.1);
      if (way.name != "fw" && way.name != "bcfw" && way.name != "ssg")
        CHECK(summary.termination == Termination::kConverged);
      most = std::min(most, summary.last.primal);
      least = std::max(least, summary.last.dual);
      const Verification verified = VerifyCertificate(problem, summary.weights, summary.last,
                                                      way.options, learner->traits().dual_point);
      CHECK_MESSAGE(verified.outcome == VerifyOutcome::kHolds, verified.message);
      CHECK(verified.solvers.find("for each count") != std::string::npos);
      ProgressRecord claim = summary.last;
      claim.primal -= 0.01;
      CHECK(VerifyCertificate(problem, summary.weights, claim, way.options,
                              learner->traits().dual_point)
                .outcome == VerifyOutcome::kFails);
    }
    CHECK(least <= most + kSolver);
    CHECK(most - least < 2e-3 * most);
  }
}

TEST_CASE(
    "kernelized learners bracket the same optimum with the linear kernel, and have one of their "
    "own with another") {
  for (const bool joined : {false, true}) {
    const Problem problem = F1Problem(joined ? 5 : 7, 12, 4, joined);
    const TrainSummary right = Train(problem, {.gap_tolerance = 1e-4});
    for (const LearnerKind learner : {LearnerKind::kKernelBcfw, LearnerKind::kKernelFrankWolfe}) {
      for (const KernelKind kernel : {KernelKind::kLinear, KernelKind::kRbf}) {
        CAPTURE(Name(learner));
        CAPTURE(joined);
        TrainOptions options{
            .learner = learner, .kernel = kernel, .gap_tolerance = 0.01, .max_passes = 20000};
        const std::unique_ptr<Learner> made = MakeLearner(problem, options);
        const TrainOptions chosen = ChooseLearner(problem, options).options;
        const TrainSummary summary = RunTraining(problem, *made, chosen, nullptr, nullptr);
        CHECK(summary.termination == Termination::kConverged);
        CHECK(summary.last.problem == CertifiedProblem::kExact);
        if (kernel == KernelKind::kLinear) {
          CHECK(summary.last.dual <= right.last.primal + kSolver);
          CHECK(right.last.dual <= summary.last.primal + kSolver);
        }
        const Verification verified = VerifyCertificate(problem, summary.weights, summary.last,
                                                        chosen, made->traits().dual_point);
        CHECK_MESSAGE(verified.outcome == VerifyOutcome::kHolds, verified.message);
        ProgressRecord claim = summary.last;
        claim.primal -= 0.02 * claim.primal;
        CHECK(VerifyCertificate(problem, summary.weights, claim, chosen, made->traits().dual_point)
                  .outcome == VerifyOutcome::kFails);
      }
    }
  }
}

TEST_CASE("learners and oracles that do not support the loss refuse it") {
  const Problem problem = F1Problem(9, 4, 3, true);
  for (const LearnerKind learner :
       {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft, LearnerKind::kProxSdca,
        LearnerKind::kMultiSample, LearnerKind::kExponentiatedGradient, LearnerKind::kDlpw}) {
    try {
      MakeLearner(problem, {.learner = learner});
      FAIL("the learner was made");
    } catch (const DataError& error) {
      CHECK(std::string(error.what()).find("1 - F1") != std::string::npos);
    }
  }
  TrainOptions slack{.learner = LearnerKind::kProxSdca, .rescaling = Rescaling::kSlack};
  CHECK_THROWS_AS(MakeLearner(problem, slack), DataError);
  slack.learner = LearnerKind::kCuttingPlane1;
  CHECK_NOTHROW(MakeLearner(problem, slack));
  CHECK_THROWS_AS(
      MakeLearner(problem, {.learner = LearnerKind::kBcfw, .oracle = SolverKind::kRoof}),
      DataError);
  Random random(4);
  LossOptions loss = LossWith(LossForm::kF1);
  const Problem cycles(MakeTrainingSet(RandomMultiLabelProblem(random, 4, 4, 2, true).data, loss),
                       kCountLambda);
  CHECK_THROWS_AS(MakeLearner(cycles, {}), DataError);
  loss.given_weights.assign(8, 1.0);
  CHECK_THROWS_AS(MakeTrainingSet(problem.data(), loss), std::invalid_argument);
}

TEST_CASE("the default lambda treats single errors like those of sums of losses") {
  const Problem f1 = F1Problem(11, 40, 5, true);
  const Problem sums(MakeTrainingSet(f1.data(), LossWith(LossScale::kCount)), kCountLambda);
  const double ratio = ScalesOf(f1, {}).loss_per_variable / ScalesOf(sums, {}).loss_per_variable;
  double errors = 0;
  for (Index m = 0; m < f1.size(); ++m) {
    std::vector<Index> labels(f1.data().example(m).labels().begin(),
                              f1.data().example(m).labels().end());
    for (Index& label : labels) {
      label = 1 - label;
      errors += f1.training().LossOf(m, labels);
      label = 1 - label;
    }
  }
  CHECK(Near(ratio, errors / (40 * 5), kExact));
}
