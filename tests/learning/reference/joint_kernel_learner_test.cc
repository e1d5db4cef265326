// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reference/joint_kernel_learner.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Dense>

#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/multiclass_problems.h"
#include "tests/support/never.h"
#include "tests/support/quadratic_program.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kJointExamples = 12, kJointStates = 3, kJointFeatures = 4;

enum class Form { kLinear, kGaussian };

/// Examples with one class each. Linear: the kernel of the features x ⊗ e_y. Gaussian: that of the
/// joint vectors (x, 2y), whose outputs are more alike the nearer they are.
class Classes : public JointProblem {
 public:
  Classes(const MulticlassProblem& data, Form form) : data_(data), form_(form) {}

  double Kernel(Index i, std::span<const std::int32_t> y, Index j,
                std::span<const std::int32_t> z) const override {
    const FeatureRow a = data_.rows->row(i), b = data_.rows->row(j);
    if (form_ == Form::kLinear) return y[0] == z[0] ? Dot(a, b) : 0;
    const double between = 4.0 * (y[0] - z[0]) * (y[0] - z[0]);
    return std::exp(-0.2 * (a.squared_norm + b.squared_norm - 2 * Dot(a, b) + between));
  }
  JointLabelling GroundTruth(Index i) const override { return {data_.labels[Size(i)]}; }
  void Maximise(Index i, const JointScore& score, JointAnswer* answer) override {
    ++calls;
    const double at_truth = score(GroundTruth(i));
    double best = -kInfinity;
    for (std::int32_t y = 0; y < kJointStates; ++y) {
      const double loss = y == data_.labels[Size(i)] ? 0 : 1;
      const double value = loss + score(std::vector<std::int32_t>{y}) - at_truth;
      if (value <= best) continue;
      best = value;
      *answer = {{y}, loss, slack > 0 ? best + slack : kNone};
    }
    if (spoil) spoil(answer);
  }

  double slack = 0;
  std::int64_t calls = 0;
  std::function<void(JointAnswer*)> spoil;

 private:
  const MulticlassProblem& data_;
  Form form_;
};

MulticlassProblem SomeData(std::uint64_t seed = 5) {
  Random random(seed);
  return RandomMulticlassProblem(random, kJointExamples, kJointStates, kJointFeatures);
}

/// w·φ of a pair.
double ScoreOf(const Classes& problem, const JointExpansion& w, Index example,
               std::span<const std::int32_t> labelling) {
  double sum = 0;
  for (const JointTerm& term : w)
    sum += term.coefficient * problem.Kernel(example, labelling, term.example, term.labelling);
  return sum;
}

/// The primal objective by enumeration.
double Primal(const Classes& problem, const MulticlassProblem& data, const JointExpansion& w,
              double lambda) {
  double squares = 0, hinges = 0;
  for (const JointTerm& term : w)
    squares += term.coefficient * ScoreOf(problem, w, term.example, term.labelling);
  for (Index i = 0; i < kJointExamples; ++i) {
    double hinge = 0;
    for (std::int32_t y = 0; y < kJointStates; ++y) {
      const double score = ScoreOf(problem, w, i, JointLabelling{y}) -
                           ScoreOf(problem, w, i, problem.GroundTruth(i));
      hinge = std::max(hinge, (y == data.labels[Size(i)] ? 0.0 : 1.0) + score);
    }
    hinges += hinge;
  }
  return lambda / 2 * squares + hinges / kJointExamples;
}

/// max_α Σ α Δ/n − λ/2 ‖Σ α ψ/(λn)‖² over all pairs, with explicit coordinates of ψ from a factor
/// of the kernel matrix.
double OptimumByQp(const Classes& problem, const MulticlassProblem& data, double lambda) {
  constexpr Eigen::Index kPairs = kJointExamples * kJointStates;
  Eigen::MatrixXd gram(kPairs, kPairs);
  for (Eigen::Index a = 0; a < kPairs; ++a) {
    for (Eigen::Index b = 0; b < kPairs; ++b) {
      gram(a, b) = problem.Kernel(static_cast<Index>(a / kJointStates),
                                  JointLabelling{static_cast<std::int32_t>(a % kJointStates)},
                                  static_cast<Index>(b / kJointStates),
                                  JointLabelling{static_cast<std::int32_t>(b % kJointStates)});
    }
  }
  Eigen::MatrixXd psi = Eigen::MatrixXd::Zero(kPairs, kPairs);  // rows of differences of unit pairs
  Eigen::VectorXd losses = Eigen::VectorXd::Zero(kPairs);
  for (Eigen::Index a = 0; a < kPairs; ++a) {
    const Eigen::Index truth = a / kJointStates * kJointStates + data.labels[a / kJointStates];
    psi(a, truth) += 1;
    psi(a, a) -= 1;
    losses(a) = a == truth ? 0 : 1;
  }
  const Eigen::MatrixXd q =
      psi * gram * psi.transpose() / (lambda * kJointExamples * kJointExamples);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(kJointExamples, kPairs);
  for (Eigen::Index a = 0; a < kPairs; ++a) sums(a / kJointStates, a) = 1;
  return -SolveQp(q, -losses / kJointExamples, sums, Eigen::VectorXd::Ones(kJointExamples))
              .objective;
}

TrainOptions ToGap(double gap) {
  TrainOptions options;
  options.absolute_gap = gap;
  options.gap_tolerance = 0;
  options.max_passes = 100000;
  return options;
}

}  // namespace

TEST_CASE("a linear joint kernel has the iterates of bcfw") {
  const MulticlassProblem data = SomeData();
  for (const double lambda : {0.02, 0.5}) {
    for (const bool uniform : {false, true}) {
      const Problem problem(data.training, lambda);
      TrainOptions options;
      options.learner = LearnerKind::kBcfw;
      options.step = StepKind::kFrankWolfe;
      options.order = uniform ? OrderKind::kUniform : OrderKind::kExample;
      const auto primal = MakeLearner(problem, options);
      Classes classes(data, Form::kLinear);
      const auto dual = MakeJointKernelLearner(&classes, kJointExamples, lambda,
                                               {.step = StepKind::kFrankWolfe, .uniform = uniform});
      for (int pass = 0; pass < 12; ++pass) {
        primal->RunPass(kNever);
        dual->RunPass(kNever);
        const Evaluation a = primal->Evaluate(1), b = dual->Evaluate(1);
        CHECK(a.dual == doctest::Approx(b.dual).epsilon(kTight));
        CHECK(a.primal == doctest::Approx(b.primal).epsilon(kTight));
      }
      // w of the expansion, if the last evaluation is the best one.
      const JointExpansion& w = dual->best_weights();
      std::vector<double> weights(Size(problem.num_weights()), 0.0);
      for (const JointTerm& term : w) {
        for (Index f = 0; f < kJointFeatures; ++f) {
          weights[Size(data.training.data.layout().block(0).at(term.labelling[0], f))] +=
              term.coefficient * data.rows->row(term.example).values[f];
        }
      }
      if (Near(Primal(classes, data, w, lambda), dual->Evaluate(1).primal, kExact)) {
        for (std::size_t k = 0; k < weights.size(); ++k)
          CHECK(Near(weights[k], primal->weights()[k], kTight));
      }
    }
  }
}

TEST_CASE("joint kernels reach the optimum of a quadratic program, with true certificates") {
  const MulticlassProblem data = SomeData(7);
  for (const Form form : {Form::kLinear, Form::kGaussian}) {
    for (const double lambda : {0.01, 0.2}) {
      Classes problem(data, form);
      const double optimum = OptimumByQp(problem, data, lambda);
      for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
        const auto learner =
            MakeJointKernelLearner(&problem, kJointExamples, lambda, {.step = step});
        const double gap = step == StepKind::kPairwise ? 1e-9 : 2e-3;
        const TrainSummary summary = RunTraining(*learner, ToGap(gap), nullptr, nullptr);
        CHECK(summary.termination == Termination::kConverged);
        CHECK(summary.last.dual <= optimum + 1e-10);
        CHECK(summary.last.primal >= optimum - 1e-10);
        const JointExpansion& w = learner->best_weights();
        CHECK(Near(Primal(problem, data, w, lambda), summary.last.primal, kTight));
      }
    }
  }
}

TEST_CASE("support vectors are at most the steps, and within the bound of theorem C.5") {
  const MulticlassProblem data = SomeData(11);
  Classes problem(data, Form::kGaussian);
  const double lambda = 0.05;
  const double optimum = OptimumByQp(problem, data, lambda);
  double squared_radius = 0;
  for (Index i = 0; i < kJointExamples; ++i) {
    for (std::int32_t y = 0; y < kJointStates; ++y) {
      const JointLabelling truth = problem.GroundTruth(i), other = {y};
      squared_radius = std::max(squared_radius, problem.Kernel(i, truth, i, truth) +
                                                    problem.Kernel(i, other, i, other) -
                                                    2 * problem.Kernel(i, truth, i, other));
    }
  }
  for (const double gap : {0.3, 0.1, 0.03}) {
    double mean_steps = 0, mean_vectors = 0;
    constexpr int kSeeds = 20;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const auto learner =
          MakeJointKernelLearner(&problem, kJointExamples, lambda,
                                 {.step = StepKind::kFrankWolfe, .uniform = true, .seed = seed});
      Evaluation evaluation = learner->Evaluate(1);
      while (evaluation.primal - evaluation.dual > gap) {
        learner->RunPass(kNever);
        evaluation = learner->Evaluate(1);
        CHECK(learner->NumSupportVectors() <= learner->work().block_steps);
      }
      mean_steps += static_cast<double>(learner->work().block_steps) / kSeeds;
      mean_vectors += static_cast<double>(learner->NumSupportVectors()) / kSeeds;
      CHECK(learner->SquaredRadius() <= squared_radius + kExact);
    }
    const double bound = SupportVectorBound(squared_radius, lambda, kJointExamples, optimum, gap);
    CHECK(mean_vectors <= mean_steps);
    CHECK(mean_steps <= bound);
    CHECK(mean_vectors >= 1);
  }
  // The formula by hand: C = 4 · 2 / (0.5 · 4) = 4, and k₀ = ⌈ln(2 · 40/4) / ln(4/3)⌉ = 11.
  CHECK(SupportVectorBound(2, 0.5, 4, 40, 1) == 96);
  CHECK(SupportVectorBound(2, 0.5, 4, 40, 10) == 55);
  CHECK(SupportVectorBound(2, 0.5, 1, 40, 10) == doctest::Approx(9.6));
}

TEST_CASE("bounds of the oracle are used, and answers that contradict themselves refused") {
  const MulticlassProblem data = SomeData(13);
  Classes problem(data, Form::kGaussian);
  problem.slack = 0.1;
  const auto learner = MakeJointKernelLearner(&problem, kJointExamples, 0.1, {});
  TrainOptions options = ToGap(0);
  options.max_passes = 200;
  const TrainSummary summary = RunTraining(*learner, options, nullptr, nullptr);
  CHECK(Near(summary.last.gap, 0.1, 1e-6));
  problem.slack = 0;

  const auto refused = [&](const std::function<void(JointAnswer*)>& spoil) {
    problem.spoil = spoil;
    const auto other = MakeJointKernelLearner(&problem, kJointExamples, 0.1, {});
    CHECK_THROWS_AS(other->RunPass(kNever), std::invalid_argument);
  };
  refused([](JointAnswer* answer) { answer->loss = -1; });
  refused([](JointAnswer* answer) { answer->loss = std::nan(""); });
  refused([](JointAnswer* answer) { answer->bound = 0.5; });
  refused([](JointAnswer* answer) { answer->bound = kInfinity; });
  CHECK_THROWS_AS(MakeJointKernelLearner(&problem, 0, 0.1, {}), std::invalid_argument);
  CHECK_THROWS_AS(MakeJointKernelLearner(&problem, 1, 0, {}), std::invalid_argument);
}
