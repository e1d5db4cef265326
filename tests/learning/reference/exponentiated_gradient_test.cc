// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/oracle/example_marginals.h>
#include <slackline/learning/step/dual_mixture.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/forest_problems.h"
#include "tests/support/never.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions EgOptions(OrderKind order) {
  TrainOptions options = Options(LearnerKind::kExponentiatedGradient, StepKind::kAuto, 1e-3);
  options.order = order;
  return options;
}

/// One example of one variable with two states: α = (1 − p, p), and a step changes log(p/(1−p)) by
/// η (H(1) − H(0)).
TrainingSet OneBit(double x) {
  ProblemOptions options;
  options.num_examples = 1;
  options.num_variables = 1;
  options.max_states = 2;
  options.num_factors = 0;
  options.input_dimension = 1;
  Random random(1);
  options.input_scale = x;
  return RandomProblem(random, options);
}

/// f of the best mixture of the ground truth and a point with this loss and value of f.
double MixedValue(double loss, double value) {
  const double share = BestShare(loss, loss - value);
  return share * loss - share * share * (loss - value);
}

}  // namespace

TEST_CASE("the first pass follows the formula") {
  for (const double lambda : {0.02, 5.0}) {
    const Problem problem(OneBit(1.0), lambda);
    const ExampleView example = problem.data().example(0);
    ExampleMarginals marginals(problem, "eg");
    const std::size_t size = example.structure().num_coordinates();
    // The start is uniform. ψ and Δ at the start, and (1, w) of the point reached from it.
    std::vector<double> zero(size, 0.0);
    const Expectation at_start = marginals.Expect(0, 0, zero, 1);
    const std::vector<double> psi(at_start.coordinates.begin(), at_start.coordinates.end());
    std::vector<double> w(problem.num_weights(), 0.0);
    ScatterFeatures(example, psi, 1 / problem.lambda_m(), w);
    const double start_value = at_start.loss - Regulariser(lambda, w);
    std::vector<double> u(size);
    CoordinateScores(example, w, u);
    // The largest of η, η/2, η/4 with which f does not fall.
    double value = start_value;
    FeatureGram gram;
    double step = std::min(0.5, problem.lambda_m() / gram.SquaredNorm(example, psi));
    CHECK((step == 0.5) == (lambda == 5.0));
    double loss = at_start.loss;
    std::vector<double> moved_psi = psi;
    for (int trial = 0; trial < 3; ++trial, step /= 2) {
      std::vector<double> v = u;
      for (double& score : v) score *= step;
      const Expectation moved = marginals.Expect(0, step, v, 1);
      std::vector<double> moved_w(w.size(), 0.0);
      ScatterFeatures(example, moved.coordinates, 1 / problem.lambda_m(), moved_w);
      if (moved.loss - Regulariser(lambda, moved_w) < start_value) continue;
      value = moved.loss - Regulariser(lambda, moved_w);
      loss = moved.loss;
      w = moved_w;
      break;
    }
    const auto learner = MakeLearner(problem, EgOptions(OrderKind::kExample));
    CHECK(Near(learner->Evaluate(1).dual, MixedValue(at_start.loss, start_value), kExact));
    learner->RunPass(kNever);
    CHECK(Near(learner->Evaluate(1).dual, MixedValue(loss, value), kExact));
    const double share = BestShare(loss, loss - value);
    for (std::size_t k = 0; k < w.size(); ++k)
      CHECK(Near(learner->weights()[k], share * w[k], kExact));
  }
}

TEST_CASE("the dual never falls, and both orders converge") {
  Random random(2);
  int compared = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const Problem problem(ForestProblem(random, trial), 0.5);
    const double optimum = ExactOptimum(problem.training(), 0.5);
    for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
      const auto learner = MakeLearner(problem, EgOptions(order));
      double last = -kInfinity;  // f of the newest α, where evaluated at α itself
      Evaluation evaluation;
      for (int pass = 0; pass < 200; ++pass) {
        learner->RunPass(kNever);
        evaluation = learner->Evaluate(1);
        // At the best mixture of α and the ground truth, f equals the regulariser.
        const double regulariser = Regulariser(0.5, learner->weights());
        const bool mixed = evaluation.dual <= (1 + kTight) * regulariser;
        if (!mixed) CHECK(evaluation.dual >= last - kExact);
        compared += !mixed && last > -kInfinity;
        last = mixed ? -kInfinity : evaluation.dual;
      }
      CAPTURE(trial);
      CHECK(evaluation.dual <= optimum + kSolver);
      CHECK(evaluation.dual >= optimum - 2e-2);
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE("every trial step counts as an oracle call") {
  Random random(3);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 2, false), 0.01);
  const auto learner = MakeLearner(problem, EgOptions(OrderKind::kExample));
  CHECK(learner->work().oracle_calls == 6);  // the uniform distributions
  CHECK(learner->work().block_steps == 0);
  learner->RunPass(kNever);
  CHECK(learner->work().block_steps == 6);
  CHECK(learner->work().oracle_calls >= 12);
  CHECK(learner->work().oracle_calls <= 6 + 3 * 6);
  const std::int64_t before = learner->work().oracle_calls;
  learner->RunPass(kNever);
  CHECK(learner->work().oracle_calls >= before + 6);
  CHECK(learner->work().oracle_calls <= before + 6 * 6);
}
