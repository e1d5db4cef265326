// SPDX-License-Identifier: BSD-3-Clause
//
// Smoothed soft constraints, and the theorems of Meshi, Srebro and Hazan (AISTATS 2015) on soft
// constraints, compared with the optima of an independent quadratic program.
#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/soft.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/global_problems.h"
#include "tests/support/mean_of_runs.h"
#include "tests/support/never.h"
#include "tests/support/plain_soft.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

double Norm(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

/// Σ ‖A_ci μ_c − μ_i‖² of a point in the layout of dense_qp: flat tables, example by example.
double SquaredViolation(const Problem& problem, const std::vector<double>& marginals) {
  const FactorBlocks blocks(problem, StepKind::kFrankWolfe, false);
  const PlainSoft plain(blocks, {});
  return static_cast<double>(plain.At(AsVector(marginals).cast<Real>()).v.squaredNorm());
}

/// The constants of theorem 4.1, by enumeration.
struct Constants {
  explicit Constants(const TrainingSet& training) {
    for (Index m = 0; m < training.data.size(); ++m) {
      const ExampleView example = training.data.example(m);
      const FactorGraph& graph = example.graph();
      parts = std::max<double>(parts, graph.num_parts());
      double loss = 0;
      for (Index i = 0; i < graph.num_variables(); ++i) {
        states = std::max<double>(states, graph.cardinality(i));
        const auto own = training.loss(m).subspan(graph.state_offset(i), graph.cardinality(i));
        loss += *std::max_element(own.begin(), own.end());
      }
      largest_loss = std::max(largest_loss, loss);
      // ‖φ(x, y)‖ is at most the sum over the parts of their largest norms.
      double features = 0;
      for (Index a = 0; a < graph.num_parts(); ++a) {
        double largest = 0;
        for (Index s = 0; s < graph.num_states(a); ++s)
          largest = std::max(largest, DenseFeatures(example, a, s).norm());
        features += largest;
      }
      norm = std::max(norm, features);
    }
  }
  /// (8 Y_max q (BR + L))²: the h of the theorem is M times that.
  double Root(double weights) const {
    const double root = 8 * states * parts * (weights * norm + largest_loss);
    return root * root;
  }

  double states = 0;        // Y_max
  double parts = 0;         // q
  double norm = 0;          // R
  double largest_loss = 0;  // L
};

/// The sum over all blocks of sup (s − μ)ᵀ(−∇²f)(s − μ), from which Theorem 5.1 of the paper
/// derives its rate.
double Curvature(const TrainingSet& training, double lambda, double rho) {
  const double m_count = training.data.size();
  double sum = 0;
  for (Index m = 0; m < training.data.size(); ++m) {
    const ExampleView example = training.data.example(m);
    const FactorGraph& graph = example.graph();
    for (Index a = 0; a < graph.num_parts(); ++a) {
      double range = 0;
      for (Index s = 0; s < graph.num_states(a); ++s) {
        for (Index t = 0; t < s; ++t)
          range = std::max(
              range, (DenseFeatures(example, a, s) - DenseFeatures(example, a, t)).squaredNorm());
      }
      const double axes = a < graph.num_variables()
                              ? static_cast<double>(graph.factors_of(a).size())
                              : static_cast<double>(graph.scope(a - graph.num_variables()).size());
      if (graph.num_states(a) > 1)
        sum += range / (lambda * m_count * m_count) + 2 * axes / (rho * m_count);
    }
  }
  return sum;
}

/// Pairs of labels with one feature: the largest differences of features are between joint states
/// without a common label.
TrainingSet Couples(Random& random, Index examples) {
  WeightLayout blocks;
  blocks.AddBlock("label", 1, 1);
  blocks.AddBlock("both", 1);
  const auto layout = std::make_shared<const WeightLayout>(blocks);
  FactorGraphBuilder graph;
  graph.AddVariables(2, 2);
  graph.AddFactor({0, 1});
  StructureBuilder builder(graph.Build(), layout);
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  const Index both = builder.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index i = 0; i < 2; ++i) builder.AddLinear(i, 0, i, on, 0);
  builder.AddConstant(2, 1, both, 0);
  const auto structure = builder.Build();
  const auto rows = std::make_shared<FeatureRows>();
  Dataset data(layout, rows);
  for (Index m = 0; m < examples; ++m) {
    const Index first = rows->size();
    for (int i = 0; i < 2; ++i) rows->AddDense(std::vector<double>{random.Normal()});
    data.Add(structure, std::vector<Index>{m % 2, m % 3 == 0 ? 1 : 0}, first);
  }
  return MakeTrainingSet(data, LossOptions{});
}

/// Pairs of labels without features.
TrainingSet WithoutFeatures(Index examples) {
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("unused", 1);
  FactorGraphBuilder graph;
  graph.AddVariables(2, 2);
  graph.AddFactor({0, 1});
  const auto structure = StructureBuilder(graph.Build(), layout).Build();
  Dataset data(layout, std::make_shared<FeatureRows>());
  for (Index m = 0; m < examples; ++m) data.Add(structure, std::vector<Index>{0, 1});
  return MakeTrainingSet(data, LossOptions{});
}

}  // namespace

TEST_CASE("smoothed soft problems are solved to their own optimum with both steps and orders") {
  Random random(331);
  for (int trial = 0; trial < 20; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    const double rho = trial % 2 == 0 ? 1.0 : 0.1;
    const double gamma = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.01;
    TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-7);
    options.own<PenaltyOptions>().rho = rho;
    options.smoothing = gamma;
    if (trial % 5 == 4) options.order = OrderKind::kUniform;
    CAPTURE(trial);
    CheckSoftOptimum(problem, options, SoftOptimum(problem.training(), 0.1, rho, gamma));
  }
}

TEST_CASE(
    "with a proximal centre the optimum is the same, at any lambda, with both steps and orders") {
  Random random(332);
  for (int trial = 0; trial < 12; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.01;
    const Problem problem(SomeProblem(random, trial), lambda);
    const double gamma = trial % 4 == 0 ? 0.1 : 0;
    TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-6);
    options.own<PenaltyOptions>().rho = 0.5;
    options.smoothing = gamma;
    options.proximal = Switch::kOn;
    if (trial % 5 == 4) options.order = OrderKind::kUniform;
    CAPTURE(trial);
    CheckSoftOptimum(problem, options, SoftOptimum(problem.training(), lambda, 0.5, gamma));
  }
}

TEST_CASE("where many blocks share few weights, a proximal centre saves passes") {
  Random random(333);
  const Problem problem(RandomMultiLabelProblem(random, 60, 6, 2, true), 1e-3);
  TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-3);
  options.max_passes = 50000;
  const TrainSummary without = Train(problem, options);
  options.proximal = Switch::kOn;
  const TrainSummary with = Train(problem, options);
  CHECK(without.termination == Termination::kConverged);
  CHECK(with.termination == Termination::kConverged);
  CAPTURE(with.last.pass);
  CHECK(4 * with.last.pass < without.last.pass);
}

TEST_CASE("smoothing of global factors is refused") {
  const Problem problem(RandomGlobalProblem(1, GlobalProblemOptions()), 0.1);
  TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-3);
  options.smoothing = 0.1;
  CHECK_THROWS_AS(MakeLearner(problem, options), DataError);
}

// Theorem 4.1: g*_ρ − (ρ_p/2) h ≤ g* ≤ g*_ρ with h = M (8 Y_max q (BR + L))². The paper's ρ_p is
// ρ/M, so (ρ_p/2) h = (ρ/2) (8 …)² with ρ per example. B bounds ‖w‖ of the solutions. The proof
// needs an optimal δ of G with ‖δ‖² ≤ h, which is checked with the soft solution δ = v/ρ of a small
// ρ. The bound is far from the excess, whatever its factor; what ρ costs is compared with the
// derivative of g*_ρ, which is ‖δ‖²/2M at the soft solution δ = v/ρ.
TEST_CASE("theorem 4.1: the soft optimum lies above the hard one by no more than its bound") {
  Random random(333);
  int compared = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.1 : 1;
    const Problem problem(SomeProblem(random, trial), lambda);
    const TrainingSet& training = problem.training();
    const Constants constants(training);
    const double m_count = training.data.size();
    const Optimum hard = SolveRelaxed(training, lambda);
    CAPTURE(trial);
    // As ρ falls, ‖δ‖² of the soft solution tends from below to that of the optimal δ of least
    // norm.
    const double small_rho = 1e-3;
    const Optimum strict = SolveSoft(training, lambda, small_rho);
    const double delta_sq = SquaredViolation(problem, strict.marginals) / (small_rho * small_rho);
    const double b = std::max(Norm(hard.weights), Norm(strict.weights));
    const double h = m_count * constants.Root(b);
    CHECK(delta_sq <= h);
    double rate_before = kInfinity;
    for (const double rho : {1e-2, 1e-1, 1.0, 10.0, 1000.0}) {
      const Optimum soft = SolveSoft(training, lambda, rho);
      const double excess = soft.value - hard.value;
      const double largest = std::max(b, Norm(soft.weights));
      CAPTURE(rho);
      CHECK(excess >= -kSolver);
      const double rho_paper = rho / m_count;
      CHECK(excess <= 0.5 * rho_paper * m_count * constants.Root(largest) + kSolver);
      // g*_ρ is a minimum of linear functions of ρ: it is concave with slope ‖δ‖²/2M, so it lies
      // below its tangents, and the excess per ρ falls.
      CHECK(soft.value <= strict.value + 0.5 * (rho - small_rho) / m_count * delta_sq + 1e-5);
      CHECK(excess / rho <= rate_before + kSolver / rho);
      rate_before = excess / rho;
      const double difference =
          SoftOptimum(training, lambda, 1.05 * rho) - SoftOptimum(training, lambda, 0.95 * rho);
      const double change =
          0.05 * rho * SquaredViolation(problem, soft.marginals) / (rho * rho) / m_count;
      CHECK(std::abs(difference - change) <= 0.1 * change + kSolver);
      compared += change > 10 * kSolver;
    }
  }
  CHECK(compared > 10);
}

// Theorem 4.2: a point with soft gap ε is (ε + ρ_p h/2)-optimal for G. Sharp form: g ≤ g_ρ ≤ g*_ρ +
// ε.
TEST_CASE("theorem 4.2: a nearly optimal soft point is nearly optimal for the hard problem") {
  Random random(334);
  for (int trial = 0; trial < 10; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    const TrainingSet& training = problem.training();
    const Constants constants(training);
    const Optimum hard = SolveRelaxed(training, 0.1);
    for (const double rho : {0.05, 1.0}) {
      const Optimum soft = SolveSoft(training, 0.1, rho);
      TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 0);
      options.own<PenaltyOptions>().rho = rho;
      const auto learner = MakeLearner(problem, options);
      for (int pass = 0; pass < 30; ++pass) {
        learner->RunPass(kNever);
        const Evaluation point = learner->Evaluate(1);
        const double largest =
            std::max({Norm(hard.weights), Norm(soft.weights), Norm(learner->weights())});
        CAPTURE(trial);
        CAPTURE(pass);
        CHECK(point.primal - hard.value <= point.soft_gap + 0.5 * rho * constants.Root(largest));
        CHECK(point.primal <= soft.value + point.soft_gap + kSolver);
        CHECK(point.primal >= hard.value - kSolver);
      }
    }
  }
}

TEST_CASE("theorem 5.1: the curvature constant is at most its bound, which is reached") {
  Random random(336);
  for (int trial = 0; trial < 12; ++trial) {
    const bool couples = trial < 4;
    const double lambda = trial % 2 == 0 ? 0.3 : 0.05;
    const double rho = trial % 3 == 0 ? 2.0 : 0.1;
    const Problem problem(couples ? Couples(random, 5) : SomeProblem(random, trial), lambda);
    FactorBlocks blocks(problem, StepKind::kFrankWolfe, false);
    blocks.set_rho(rho);
    const PlainSoft plain(blocks, {});
    RealVector start = RealVector::Zero(plain.size());  // every block in its first state
    for (Index m = 0; m < problem.size(); ++m) {
      for (Index a = 0; a < problem.data().example(m).graph().num_parts(); ++a)
        start[plain.Columns(m, a).first] = 1;
    }
    const PlainSoft::Point point = plain.At(start);
    double sum = 0;
    for (Index m = 0; m < problem.size(); ++m) {
      for (Index a = 0; a < problem.data().example(m).graph().num_parts(); ++a) {
        const auto [first, last] = plain.Columns(m, a);
        Real most = 0;  // (s − μ)ᵀ(−∇²f)(s − μ)
        for (Offset c = first + 1; c < last; ++c) {
          const RealVector step =
              RealVector::Unit(plain.size(), c) - RealVector::Unit(plain.size(), first);
          most = std::max(most, -2 * plain.Parabola(point, step).second);
        }
        sum += static_cast<double>(most);
      }
    }
    const double bound = Curvature(problem.training(), lambda, rho);
    CAPTURE(trial);
    CHECK(sum <= bound * (1 + kSolver));
    if (couples) CHECK(Near(sum, bound, kSolver));
  }
}

// Theorem 5.1 (Lacoste-Julien et al. 2013, Theorem 2), where n is the number of blocks of all
// examples: after t steps on blocks drawn with replacement, f*_ρ − E f_ρ ≤ 2n/(t + 2n) (C + f*_ρ −
// f_ρ(0)) with C ≤ Curvature, and some iterate until then has E D_ρ ≤ 6n/(t + 1) (C + f*_ρ −
// f_ρ(0)); the gaps are those after whole passes, whose smallest one is no smaller. For the literal
// penalty 1/(2 ρ_p M²) this is the paper's O(1/M (1/λ + 1/ρ_p M)) per block. The expectation is
// estimated by the mean of several runs.
TEST_CASE("theorem 5.1: Frank-Wolfe steps on random blocks keep the rate") {
  Random random(335);
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    for (const double rho : {0.1, 1.0}) {
      const double optimum = SoftOptimum(problem.training(), 0.1, rho);
      const double curvature = Curvature(problem.training(), 0.1, rho);
      constexpr int kRuns = 5;
      constexpr int kPasses = 40;
      std::vector<double> mean(kPasses, 0.0), gap(kPasses, 0.0);
      for (int run = 0; run < kRuns; ++run) {
        TrainOptions options = Options(LearnerKind::kSoft, StepKind::kFrankWolfe, 0);
        options.own<PenaltyOptions>().rho = rho;
        options.order = OrderKind::kUniform;
        options.seed = run + 1;
        const auto learner = MakeLearner(problem, options);
        double least = kInfinity;
        for (int pass = 0; pass < kPasses; ++pass) {
          learner->RunPass(kNever);
          const Evaluation evaluation = learner->Evaluate(1);
          mean[pass] += evaluation.soft_dual / kRuns;
          least = std::min(least, evaluation.soft_gap);
          gap[pass] += least / kRuns;
        }
      }
      for (int pass = 0; pass < kPasses; ++pass) {
        const double rate = 2.0 / (pass + 1 + 2.0);  // t = (pass + 1) n
        CAPTURE(trial);
        CAPTURE(pass);
        CHECK(optimum - mean[pass] <= rate * (curvature + optimum) + kSolver);
        CHECK(gap[pass] >= optimum - mean[pass] - kSolver);
        CHECK(gap[pass] <= 6.0 / (pass + 1) * (curvature + optimum) + kSolver);
      }
    }
  }
}

// Without features, and with a penalty too small to move a step, the first step of a block makes it
// optimal: with n blocks the error after t draws is (1 − 1/n)^t f*_ρ on average, which after a pass
// is more than half of 2n/(t + 2n) f*_ρ, and the gap is the error.
TEST_CASE("theorem 5.1: without curvature the error is more than half of its bound") {
  const Index examples = 4;
  const double n = 3 * examples;
  const Problem problem(WithoutFeatures(examples), 0.1);
  constexpr int kPasses = 3;
  constexpr int kRuns = 600;
  std::vector<MeanOfRuns> error(kPasses), difference(kPasses);
  const double optimum = SoftOptimum(problem.training(), 0.1, 1e6);
  for (const StepKind step : {StepKind::kFrankWolfe, StepKind::kPairwise}) {
    for (int run = 0; run < kRuns; ++run) {
      TrainOptions options =
          With(Options(LearnerKind::kSoft, step, 0), "--rho 1e6 --order uniform");
      options.seed = run + 1;
      const auto learner = MakeLearner(problem, options);
      for (int pass = 0; pass < kPasses; ++pass) {
        learner->RunPass(kNever);
        const Evaluation evaluation = learner->Evaluate(1);
        const double own = optimum - evaluation.soft_dual;
        error[pass].Add(own);
        difference[pass].Add(std::abs(evaluation.soft_gap - own));
      }
    }
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    const double expected = std::pow(1 - 1 / n, n * (pass + 1)) * optimum;
    const double bound = 2.0 / (pass + 1 + 2.0) * optimum;
    CAPTURE(pass);
    CHECK(error[pass].Tells(expected));
    CHECK(difference[pass].mean() <= 1e-3 * expected);
    CHECK(error[pass].mean() <= bound);
    if (pass == 0) CHECK(error[pass].mean() > 0.5 * bound);
  }
}
