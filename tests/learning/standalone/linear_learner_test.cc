// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/linear_learner.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/option_text.h"
#include "tests/support/states.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kLinearFeatures = 8;
constexpr ScalarLossKind kLossKinds[] = {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge,
                                         ScalarLossKind::kSquared, ScalarLossKind::kLogistic,
                                         ScalarLossKind::kAbsolute};

/// Labels follow two of the features, with noise.
LinearProblem NoisyProblem(ScalarLossKind loss, Index examples, std::uint64_t seed) {
  Random random(seed);
  LinearProblem problem;
  auto rows = std::make_shared<FeatureRows>();
  for (Index i = 0; i < examples; ++i) {
    std::vector<double> x(kLinearFeatures);
    for (double& value : x) value = random.Normal();
    const double y = x[0] - 0.5 * x[1] + 0.3 * random.Normal();
    rows->AddDense(x);
    problem.labels.push_back(TakesNumbers(loss) ? y : (y > 0 ? 1 : -1));
  }
  problem.rows = std::move(rows);
  problem.loss = loss;
  problem.loss_parameter = 0.2;
  problem.lambda = 0.05;
  return problem;
}

/// The objective by its definition.
double Objective(const LinearProblem& problem, std::span<const double> w) {
  const ScalarLoss loss(problem.loss, problem.labels, problem.loss_parameter);
  double losses = 0, squares = 0, one_norm = 0;
  for (Index i = 0; i < problem.rows->size(); ++i) {
    double z = 0;
    ForEachValue(problem.rows->row(i), kLinearFeatures,
                 [&](std::size_t f, double value) { z += w[f] * value; });
    losses += loss.Value(i, {&z, 1});
  }
  for (const double x : w) {
    squares += x * x;
    one_norm += std::abs(x);
  }
  double g = problem.regulariser == LinearRegulariser::kL2 ? problem.lambda / 2 * squares : 0;
  if (problem.regulariser == LinearRegulariser::kQNorm)
    g = problem.lambda * ProxRegulariser(ProxKind::kQNorm, kLinearFeatures).Value(w);
  return losses / problem.rows->size() + g + problem.l1 * one_norm;
}

TrainOptions LinearToGap(double gap) {
  return {.gap_tolerance = 0, .absolute_gap = gap, .max_passes = 20000};
}

TrainSummary Solve(const LinearProblem& problem, double gap,
                   const LinearLearnerOptions& options = {}) {
  const auto learner = MakeLinearLearner(problem, options);
  return RunTraining(*learner, LinearToGap(gap), nullptr, nullptr);
}

}  // namespace

TEST_CASE("reported objectives are those of the definition, and no weights are below the bound") {
  Random random(3);
  for (const ScalarLossKind loss : kLossKinds) {
    for (const auto regulariser :
         {LinearRegulariser::kL2, LinearRegulariser::kL1, LinearRegulariser::kQNorm}) {
      LinearProblem problem = NoisyProblem(loss, 30, 1);
      problem.regulariser = regulariser;
      problem.l1 = regulariser == LinearRegulariser::kQNorm ? 0.0 : 0.02;
      const double gap = loss == ScalarLossKind::kAbsolute ? 1e-4 : 1e-6;
      const TrainSummary summary = Solve(problem, gap);
      INFO(Name(loss), " ", Name(regulariser));
      CHECK(summary.termination == Termination::kConverged);
      CHECK(Near(summary.last.primal, Objective(problem, summary.weights), kExact));
      CHECK(summary.last.gap <= gap);
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> other = summary.weights;
        const double size = std::pow(10, -4 * random.Uniform());
        for (double& x : other) x += size * random.Normal();
        CHECK(Objective(problem, other) >= summary.last.dual - kExact);
      }
    }
  }
}

TEST_CASE("problem (6) is solved without its quadratic term, and has its zeros") {
  LinearProblem problem = NoisyProblem(ScalarLossKind::kSquared, 60, 5);
  problem.regulariser = LinearRegulariser::kL1;
  const double largest = LargestUsefulL1(problem);
  problem.l1 = 0.3 * largest;
  // Coordinate descent on the lasso, which has no quadratic term.
  std::vector<double> w(kLinearFeatures, 0.0), residual = problem.labels;
  const Index n = problem.rows->size();
  for (int sweep = 0; sweep < 1000; ++sweep) {
    for (std::size_t f = 0; f < w.size(); ++f) {
      double slope = 0, curvature = 0;
      for (Index i = 0; i < n; ++i) {
        const double x = problem.rows->row(i).values[f];
        slope += x * residual[i] / n;
        curvature += x * x / n;
      }
      const double next = SoftThreshold(slope + curvature * w[f], problem.l1) / curvature;
      for (Index i = 0; i < n; ++i) residual[i] -= (next - w[f]) * problem.rows->row(i).values[f];
      w[f] = next;
    }
  }
  const TrainSummary summary = Solve(problem, 1e-8);
  CHECK(Near(summary.last.primal, Objective(problem, w), 2e-8));
  for (std::size_t f = 0; f < w.size(); ++f) {
    CHECK(std::abs(summary.weights[f] - w[f]) <= 1e-3);
    if (w[f] == 0) CHECK(summary.weights[f] == 0);
  }
  CHECK(std::count(w.begin(), w.end(), 0.0) >= 2);

  problem.l1 = 1.001 * largest;
  for (const double x : Solve(problem, 1e-6).weights) CHECK(x == 0);
  problem.l1 = 0.999 * largest;
  const TrainSummary some = Solve(problem, 1e-9);
  CHECK(std::any_of(some.weights.begin(), some.weights.end(), [](double x) { return x != 0; }));
}

TEST_CASE("saved states continue as if there had been no interruption") {
  for (const SdcaOutput output : {SdcaOutput::kNewest, SdcaOutput::kAverage, SdcaOutput::kRandom}) {
    for (const auto regulariser : {LinearRegulariser::kL2, LinearRegulariser::kL1}) {
      LinearProblem problem = NoisyProblem(ScalarLossKind::kLogistic, 20, 2);
      problem.regulariser = regulariser;
      problem.l1 = 0.01;
      const LinearLearnerOptions options{.output = output,
                                         .uniform = output == SdcaOutput::kRandom};
      TrainOptions train = With(LinearToGap(0), "--max-passes 40");
      std::string saved;
      CheckpointPlan keep;
      keep.every_seconds = 0;
      keep.write = [&](const std::string& state, std::span<const std::size_t>) {
        if (saved.empty()) saved = state;
      };
      const auto whole = MakeLinearLearner(problem, options);
      const TrainSummary first = RunTraining(*whole, train, nullptr, nullptr, keep);
      const auto rest = MakeLinearLearner(problem, options);
      const TrainSummary second = RunTraining(*rest, train, nullptr, nullptr, ContinuedFrom(saved));
      CHECK(first.weights == second.weights);
      CHECK(first.last.dual == second.last.dual);
      CHECK(first.last.block_steps == 40 * problem.rows->size());
      // A damaged state is refused.
      const std::string cut = saved.substr(0, saved.size() - 8);
      const auto other = MakeLinearLearner(problem, options);
      CHECK_THROWS_AS(RunTraining(*other, train, nullptr, nullptr, ContinuedFrom(cut)), DataError);
    }
  }
}

TEST_CASE("all steps and outputs reach the same optimum") {
  const LinearProblem problem = NoisyProblem(ScalarLossKind::kSmoothedHinge, 25, 4);
  const double optimum = Solve(problem, 1e-10).last.primal;
  for (int step = 1; step <= 5; ++step) {
    for (const SdcaOutput output :
         {SdcaOutput::kNewest, SdcaOutput::kAverage, SdcaOutput::kRandom}) {
      const LinearLearnerOptions options{.step = static_cast<SdcaStep>(step), .output = output};
      const TrainSummary summary = Solve(problem, 1e-5, options);
      CHECK(summary.last.primal >= optimum - 1e-9);
      CHECK(summary.last.primal <= optimum + 1e-5);
      CHECK(summary.last.dual <= optimum);
    }
  }
}

TEST_CASE("problems that do not fit are refused") {
  LinearProblem problem = NoisyProblem(ScalarLossKind::kHinge, 10, 1);
  problem.regulariser = LinearRegulariser::kL1;
  CHECK_THROWS_AS(MakeLinearLearner(problem, {}), std::invalid_argument);
  problem.l1 = 0.1;
  problem.lambda = 0;
  CHECK_THROWS_AS(MakeLinearLearner(problem, {}), std::invalid_argument);
  problem.lambda = 0.1;
  const LinearLearnerOptions options{.step = SdcaStep::kSmooth};
  CHECK_THROWS_AS(MakeLinearLearner(problem, options), DataError);
}
