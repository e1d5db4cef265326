// SPDX-License-Identifier: BSD-3-Clause
//
// kernel-bcfw and kernel-fw: with the linear kernel their iterates are compared with bcfw and, as
// those of fw, with plain batch Frank-Wolfe, with other kernels their results with the optima of
// quadratic programs over explicit kernel matrices (tests/support/kernel_problems.h).
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/step.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/kernel_problems.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions KernelOptions(LearnerKind learner, KernelKind kernel, double gap = 1e-3) {
  TrainOptions options = Options(learner, StepKind::kAuto, gap);
  options.kernel = kernel;
  if (kernel == KernelKind::kRbf) options.kernel_gamma = 0.4;
  if (kernel == KernelKind::kPolynomial) options.kernel_degree = 2;
  options.oracle = SolverKind::kBruteForce;
  return options;
}

void CheckSameDuals(const Problem& problem, const Learner& a, const Learner& b) {
  std::vector<double> qa, qb;
  double loss_a = 0, loss_b = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    REQUIRE(a.traits().dual_point->DualPoint(m, &qa, &loss_a));
    REQUIRE(b.traits().dual_point->DualPoint(m, &qb, &loss_b));
    REQUIRE(qa.size() == qb.size());
    for (std::size_t k = 0; k < qa.size(); ++k) CHECK(Near(qa[k], qb[k], 1e-8));
    CHECK(Near(loss_a, loss_b, 1e-8));
  }
}

/// Problems whose variables have inputs; every fourth is a multi-label problem.
TrainingSet WithInputs(Random& random, int trial) {
  if (trial % 4 == 0) return RandomMultiLabelProblem(random, 4, 3, 2, true);
  ProblemOptions shape = RandomOptions(random);
  if (shape.inputs == InputKind::kNone) shape.inputs = InputKind::kSparse;
  return RandomProblem(random, shape);
}

/// WithInputs with losses changed so that no two labellings have the same loss: otherwise rounding
/// errors would decide between corners.
TrainingSet WithoutTies(Random& random, int trial) {
  TrainingSet training = WithInputs(random, trial);
  for (double& loss : training.losses) loss *= 0.5 + random.Uniform();
  return training;
}

/// Algorithm 2 of the paper with explicit weights and features.
class PlainFrankWolfe {
 public:
  explicit PlainFrankWolfe(const Problem& problem, bool fixed)
      : problem_(problem),
        oracle_(problem,
                {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers}),
        fixed_(fixed) {
    w_.assign(problem.num_weights(), 0.0);
  }
  void Pass() {
    std::vector<double> w_s(w_.size(), 0.0);
    double loss_s = 0;
    for (Index m = 0; m < problem_.size(); ++m) {
      const Corner corner = oracle_.Maximise(m, w_, nullptr);
      ScatterFeatures(problem_.data().example(m), corner.coordinates, 1 / problem_.lambda_m(), w_s);
      loss_s += corner.loss / problem_.size();
    }
    double gap = loss_s - loss_, q = 0;
    for (std::size_t k = 0; k < w_.size(); ++k) {
      gap += problem_.lambda() * (w_[k] - w_s[k]) * w_[k];
      q += problem_.lambda() * (w_[k] - w_s[k]) * (w_[k] - w_s[k]);
    }
    const double step = fixed_ ? 2.0 / (k_ + 2.0) : LineSearch(gap, q, 1);
    ++k_;
    for (std::size_t k = 0; k < w_.size(); ++k) w_[k] += step * (w_s[k] - w_[k]);
    loss_ += step * (loss_s - loss_);
  }
  double Dual() const { return loss_ - Regulariser(problem_.lambda(), w_); }

 private:
  const Problem& problem_;
  ExampleOracle oracle_;
  bool fixed_;
  std::vector<double> w_;
  double loss_ = 0;
  int k_ = 0;
};

}  // namespace

TEST_CASE("with the linear kernel the iterates are those of bcfw") {
  Random random(41);
  for (int trial = 0; trial < 16; ++trial) {
    const Problem problem(WithoutTies(random, trial), trial % 2 == 0 ? 0.3 : 0.03);
    for (const bool fixed : {false, true}) {
      TrainOptions options = KernelOptions(LearnerKind::kBcfw, KernelKind::kAuto);
      options.step = StepKind::kFrankWolfe;
      options.fixed_step = fixed;
      if (trial % 3 == 0) options.order = OrderKind::kUniform;
      const auto linear = MakeLearner(problem, options);
      options.learner = LearnerKind::kKernelBcfw;
      options.step = StepKind::kAuto;
      const auto kernel = MakeLearner(problem, options);
      for (int pass = 0; pass < 6; ++pass) {
        linear->RunPass(kNever);
        kernel->RunPass(kNever);
      }
      CAPTURE(trial);
      CheckSameDuals(problem, *linear, *kernel);
      const Evaluation a = linear->Evaluate(1);
      const Evaluation b = kernel->Evaluate(1);
      CHECK(Near(a.primal, b.primal, 1e-8));
      CHECK(Near(a.dual, b.dual, 1e-8));
    }
  }
}

TEST_CASE("the iterates of fw, and with the linear kernel of kernel-fw, are those of Algorithm 2") {
  Random random(42);
  for (int trial = 0; trial < 16; ++trial) {
    const Problem problem(WithoutTies(random, trial), trial % 2 == 0 ? 0.3 : 0.03);
    for (const bool fixed : {false, true}) {
      TrainOptions options = KernelOptions(LearnerKind::kKernelFrankWolfe, KernelKind::kLinear);
      options.fixed_step = fixed;
      const auto kernel = MakeLearner(problem, options);
      options.learner = LearnerKind::kFrankWolfe;
      options.kernel = KernelKind::kAuto;
      const auto linear = MakeLearner(problem, options);
      PlainFrankWolfe plain(problem, fixed);
      for (int pass = 0; pass < 8; ++pass) {
        for (Learner* learner : {kernel.get(), linear.get()}) learner->RunPass(kNever);
        plain.Pass();
        CAPTURE(trial);
        CAPTURE(fixed);
        CHECK(Near(kernel->Evaluate(1).dual, plain.Dual(), 1e-9));
        CHECK(Near(linear->Evaluate(1).dual, plain.Dual(), 1e-9));
        CHECK(Near(ValueOfDualPoint(problem, *linear), plain.Dual(), 1e-9));
      }
      CHECK(kernel->work().oracle_calls == 8 * problem.size());
      CheckSameDuals(problem, *kernel, *linear);
    }
  }
}

TEST_CASE("the bracket holds the optimum of the quadratic program over the kernel matrix") {
  Random random(43);
  for (int trial = 0; trial < 12; ++trial) {
    const Problem problem(WithInputs(random, trial), 0.3);
    for (const KernelKind kind : {KernelKind::kRbf, KernelKind::kPolynomial}) {
      TrainOptions options = KernelOptions(LearnerKind::kKernelBcfw, kind, 2e-3);
      const TrainingSet linear = Featurised(problem.training(), KernelOf(options, problem.data()));
      const double optimum = ExactOptimum(linear, 0.3);
      CAPTURE(trial);
      const Run block = TrainOn(problem, options, optimum);
      CAPTURE(block.summary.message);
      CHECK(block.sound);
      CHECK(block.summary.last.problem == CertifiedProblem::kExact);
      CHECK(block.summary.termination == Termination::kConverged);
      options.learner = LearnerKind::kKernelFrankWolfe;
      options.gap_tolerance = options.absolute_gap = 2e-2;
      const Run batch = TrainOn(problem, options, optimum);
      CHECK(batch.sound);
      CHECK(batch.summary.termination == Termination::kConverged);
      CHECK(block.summary.weights.size() == batch.summary.weights.size());
    }
  }
}

TEST_CASE("relaxed oracles certify the relaxed problem") {
  Random random(44);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 2, true), 0.05);
  TrainOptions options = KernelOptions(LearnerKind::kKernelBcfw, KernelKind::kRbf, 2e-3);
  options.oracle = SolverKind::kRoof;
  const Run run = TrainOn(
      problem, options,
      RelaxedOptimum(Featurised(problem.training(), KernelOf(options, problem.data())), 0.05));
  CHECK(run.sound);
  CHECK(run.summary.last.problem == CertifiedProblem::kRelaxed);
  CHECK(run.summary.termination == Termination::kConverged);
}

TEST_CASE("neither cache nor threads change the result") {
  Random random(46);
  const Problem problem(RandomMultiLabelProblem(random, 420, 2, 3, true),
                        0.01);  // 1.4 MB of kernel values
  for (const LearnerKind learner : {LearnerKind::kKernelBcfw, LearnerKind::kKernelFrankWolfe}) {
    TrainOptions options = KernelOptions(learner, KernelKind::kRbf, 0);
    options.absolute_gap = 0;
    options.oracle = SolverKind::kRoof;
    options.max_passes = 2;
    const TrainSummary all = Train(problem, options);
    options.own<KernelLearnerOptions>().cache_mb = 1;
    options.threads = 3;
    const TrainSummary some = Train(problem, options);
    CHECK(all.weights == some.weights);
    CHECK(all.last.primal == some.last.primal);
    CHECK(all.last.dual == some.last.dual);
  }
}

TEST_CASE("problems without inputs are refused") {
  Random random(50);
  ProblemOptions shape;
  shape.inputs = InputKind::kNone;
  shape.potentials = true;
  const Problem problem(RandomProblem(random, shape), 0.1);
  CHECK_THROWS_WITH_AS(
      MakeLearner(problem, KernelOptions(LearnerKind::kKernelBcfw, KernelKind::kRbf)),
      doctest::Contains("no input vectors"), DataError);
  CHECK_THROWS_WITH_AS(MakeLearner(problem, KernelOptions(LearnerKind::kBcfw, KernelKind::kRbf)),
                       doctest::Contains("no input vectors"), DataError);
}
