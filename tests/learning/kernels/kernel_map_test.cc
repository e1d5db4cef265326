// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/model_builder.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/kernels/kernel_map.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/kernel_problems.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Kernel kMappedKernel{KernelKind::kRbf, 0.4, 3, 1};

TrainOptions RbfOptions(LearnerKind learner, StepKind step, double gap) {
  TrainOptions options = With(Options(learner, step, gap), "--kernel rbf --kernel-gamma 0.4");
  return options;
}

}  // namespace

TEST_CASE("inner products of the new inputs are kernel values") {
  Random random(61);
  for (int trial = 0; trial < 8; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.inputs = trial % 2 == 0 ? InputKind::kDense : InputKind::kSparse;
    shape.repeat_examples = trial % 3 == 0;
    shape.whole_inputs = trial % 3 == 1;
    const Problem problem(RandomProblem(random, shape), 0.1);
    const KernelMap map(problem, kMappedKernel);
    CHECK(map.rank() <= map.expansion().num_inputs());
    const FeatureRows& old_rows = *problem.data().rows();
    const FeatureRows& new_rows = *map.problem().data().rows();
    REQUIRE(new_rows.size() == old_rows.size());
    for (Index i = 0; i < old_rows.size(); ++i) {
      for (Index j = 0; j < old_rows.size(); ++j) {
        if (map.expansion().input_at(i) < 0 || map.expansion().input_at(j) < 0) continue;
        CHECK(Near(Dot(new_rows.row(i), new_rows.row(j)),
                   KernelValue(kMappedKernel, old_rows.row(i), old_rows.row(j)), 1e-11));
      }
    }
  }
}

TEST_CASE("short inputs keep their kernel values beside long ones") {
  // From 1e-3 to 3000: with (x·x' + 1)³ the squared lengths of the new inputs are 1 to 7e20.
  auto rows = std::make_shared<FeatureRows>();
  const auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("w", 2, 1);
  ModelBuilder builder(layout);
  builder.AddLinearFeatures(builder.AddVariable(2), block, 0);
  const auto structure = builder.Build();
  const std::vector<double> inputs = {1, -1, 2, -2, 1e-3, 0, 3000, 3000.5};
  for (const double x : inputs) rows->AddDense(std::vector<double>{x});
  Dataset data(layout, rows);
  for (Index m = 0; m < rows->size(); ++m)
    data.Add(structure, std::vector<Index>{inputs[m] > 0 ? 0 : 1}, m);
  const Problem problem(MakeTrainingSet(data, {}), 0.01);
  const Kernel kernel{KernelKind::kPolynomial, 1, 3, 1};
  const KernelMap map(problem, kernel);
  const FeatureRows& mapped = *map.problem().data().rows();
  for (Index i = 0; i < rows->size(); ++i) {
    for (Index j = 0; j < rows->size(); ++j) {
      const double wanted = KernelValue(kernel, rows->row(i), rows->row(j));
      const double size = std::sqrt(KernelValue(kernel, rows->row(i), rows->row(i)) *
                                    KernelValue(kernel, rows->row(j), rows->row(j)));
      CAPTURE(i);
      CAPTURE(j);
      CHECK(std::abs(Dot(mapped.row(i), mapped.row(j)) - wanted) <= 1e-13 * size);
    }
  }
}

TEST_CASE("expansions have the scores of the weights") {
  Random random(62);
  for (int trial = 0; trial < 8; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.inputs = InputKind::kDense;
    const Problem problem(RandomProblem(random, shape), 0.1);
    const KernelMap map(problem, kMappedKernel);
    std::vector<double> weights = Normals(random, map.problem().num_weights());
    const std::vector<double> expansion = map.Expand(weights);
    const std::vector<double> back = map.Weights(expansion);
    REQUIRE(back.size() == weights.size());
    const GramCache gram(kMappedKernel,
                         {map.expansion().inputs().begin(), map.expansion().inputs().end()}, 0);
    std::vector<double> scores(expansion.size());
    map.expansion().Scores(gram, expansion, 1, scores);
    double by_kernel = 0, by_weights = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) by_kernel += expansion[k] * scores[k];
    for (const double value : back) by_weights += value * value;
    CHECK(Near(by_kernel, by_weights, 1e-6));
  }
}

TEST_CASE("every learner reaches the optimum of the kernel matrix") {
  Random random(63);
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 6, 3, 2, true), 0.1);
    const TrainingSet reference = Featurised(problem.training(), kMappedKernel);
    const double optimum = RelaxedOptimum(reference, 0.1);
    CAPTURE(trial);
    const TrainOptions al =
        RbfOptions(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-6);
    TrainOptions corners = RbfOptions(LearnerKind::kBcfw, StepKind::kPairwise, 1e-6);
    corners.oracle = SolverKind::kRoof;
    for (const TrainOptions& options :
         {al, corners, RbfOptions(LearnerKind::kAuto, StepKind::kAuto, 1e-6)}) {
      BracketObserver observer(optimum, kNone);
      const TrainSummary summary = TrainVerified(problem, options, &observer).summary;
      CheckConverged({summary, observer.sound}, optimum, 1e-5);
    }
    TrainOptions soft = RbfOptions(LearnerKind::kSoft, StepKind::kPairwise, 1e-6);
    soft.own<PenaltyOptions>().rho = 0.5;
    const double penalised = SoftOptimum(reference, 0.1, 0.5);
    const Run run = TrainOn(problem, soft, optimum, penalised);
    CheckConverged(run);
    CHECK(Near(run.summary.last.soft_dual, penalised, 1e-5));
  }
}

TEST_CASE("saved states of mapped learners continue bit for bit") {
  Random random(64);
  const Problem problem(RandomMultiLabelProblem(random, 12, 3, 2, true), 0.05);
  for (const LearnerKind kind : {LearnerKind::kAugmentedLagrangian, LearnerKind::kBcfw}) {
    const TrainOptions options = RbfOptions(kind, StepKind::kAuto, 1e-4);
    const auto first = CheckTakeOver(problem, options, {1, 1});
    first->traits().lambda->ChangeLambda(problem.WithLambda(0.01));
    const double optimum = RelaxedOptimum(Featurised(problem.training(), kMappedKernel), 0.01);
    double best = kInfinity;
    for (int pass = 0; pass < 200; ++pass) {
      first->RunPass(kNever);
      const Evaluation evaluation = first->Evaluate(1);
      CHECK(evaluation.primal >= optimum - kSolver);
      CHECK(evaluation.dual <= optimum + kSolver);
      best = std::min(best, evaluation.primal);
      Adapt(*first, evaluation);
    }
    CHECK(Near(best, optimum, 1e-2));
  }
}

TEST_CASE("unpleasant problems are mapped, too") {
  Random random(65);
  for (int trial = 0; trial < 24; ++trial) {
    ProblemOptions shape = RandomHardOptions(random);
    shape.forbidden = false;
    shape.inputs = trial % 2 == 0 ? InputKind::kDense : InputKind::kSparse;
    if (trial % 4 == 0) shape.zero_features = true;
    const Problem problem(RandomProblem(random, shape), trial % 3 == 0   ? 1e6
                                                        : trial % 3 == 1 ? 1e-6
                                                                         : 0.1);
    TrainOptions options = Options(LearnerKind::kAugmentedLagrangian, StepKind::kAuto, 1e-3);
    options.kernel = trial % 8 < 4 ? KernelKind::kLinear : KernelKind::kRbf;
    options.max_passes = 10;
    const TrainSummary summary = Train(problem, options);
    CAPTURE(trial);
    CheckNumbers(summary);
    CHECK(std::ssize(summary.weights) == KernelExpansion(problem.data()).size());
  }
}
