// SPDX-License-Identifier: BSD-3-Clause
//
// cutting-plane-1, cutting-plane-n and bmrm: the optima of independent quadratic programs, the
// equivalences stated in the papers, and the functions of learners beside training.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/planes/joint_planes.h>
#include <slackline/learning/planes/plane_options.h>

#include "tests/support/dense_labellings.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr LearnerKind kPlaneLearners[] = {LearnerKind::kCuttingPlane1, LearnerKind::kCuttingPlaneN,
                                          LearnerKind::kBundle};

TrainOptions OptionsOfPlanes(LearnerKind learner, double gap) {
  TrainOptions options =
      With(Options(learner, StepKind::kAuto, gap), "--oracle brute-force --max-passes 3000");
  return options;
}

using Eigen::VectorXd;

/// A corner of the product of all examples' simplexes, reduced to the quantities in the objective:
/// (1/M) Σ ψ_m and (1/M) Σ Δ_m.
struct JointCorner {
  VectorXd psi;
  double loss = 0;
};

/// argmax_y Δ_m(y) − w·ψ_m(y) of every example by enumeration; the first among ties, with the last
/// variable fastest.
JointCorner BestJointCorner(const Problem& problem, const VectorXd& w) {
  JointCorner joint{VectorXd::Zero(w.size()), 0};
  for (Index m = 0; m < problem.size(); ++m) {
    std::vector<DenseLabelling> all = DenseLabellings(problem, m);
    std::ranges::sort(all, {}, &DenseLabelling::labels);
    const auto value = [&](const DenseLabelling& y) { return y.loss + w.dot(y.features); };
    const DenseLabelling& best = *std::ranges::max_element(all, {}, value);
    const ExampleView example = problem.data().example(m);
    joint.psi += (DenseFeaturesOf(example, example.labels()) - best.features) / problem.size();
    joint.loss += best.loss / problem.size();
  }
  return joint;
}

struct FullyCorrective {
  std::vector<JointCorner> corners;
  VectorXd w;
  double dual = 0;

  /// Re-optimises over the convex hull of all corners.
  void Correct(double lambda) {
    const auto n = static_cast<Eigen::Index>(corners.size());
    Eigen::MatrixXd psi(w.size(), n);
    VectorXd loss(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      psi.col(k) = corners[k].psi;
      loss[k] = corners[k].loss;
    }
    const QpResult result = SolveQp(psi.transpose() * psi / lambda, -loss,
                                    Eigen::MatrixXd::Ones(1, n), VectorXd::Ones(1));
    w = psi * result.x / lambda;
    dual = -result.objective;
  }
};

}  // namespace

TEST_CASE("planes close the gap around the optimum of the oracle's domain") {
  Random random(1);
  for (int trial = 0; trial < 12; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.01;
    const Problem problem(SomeProblem(random, trial), lambda);
    const bool binary = trial % 4 == 0;
    const double optimum = binary ? RelaxedOptimum(problem.training(), lambda)
                                  : ExactOptimum(problem.training(), lambda);
    for (const LearnerKind learner : kPlaneLearners) {
      TrainOptions options = OptionsOfPlanes(learner, 1e-6);
      if (binary) options.oracle = SolverKind::kRoof;
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(Name(learner));
      CheckConverged(run, optimum, 3e-6);
      CHECK(run.summary.last.problem ==
            (binary ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact));
    }
  }
}

TEST_CASE("cutting-plane-1 without its cache is fully corrective batch Frank-Wolfe") {
  // Lacoste-Julien et al. 2013, section 4: both methods have the same point after every pass.
  Random random(2);
  int passes = 0;
  for (int trial = 0; trial < 9; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.loss = LossScale::kCount;  // whole numbers: ties at w = 0 are exact
    shape.inputs = InputKind::kDense;
    const double lambda = 0.1;
    const Problem problem(RandomProblem(random, shape), lambda);
    TrainOptions options = With(OptionsOfPlanes(LearnerKind::kCuttingPlane1, 0),
                                "--constraint-cache off --prune-after 0");
    const auto learner = MakeLearner(problem, options);
    FullyCorrective fw;
    fw.w = VectorXd::Zero(problem.num_weights());
    fw.corners.push_back({fw.w, 0});
    for (int pass = 0; pass < 12; ++pass) {
      const JointCorner corner = BestJointCorner(problem, fw.w);
      const double gap = corner.loss - fw.w.dot(corner.psi) + lambda * fw.w.squaredNorm() -
                         fw.dual - lambda / 2 * fw.w.squaredNorm();
      fw.corners.push_back(corner);
      fw.Correct(lambda);
      learner->RunPass(kNever);
      CAPTURE(trial);
      CAPTURE(pass);
      CHECK(Near(learner->Evaluate(1).dual, fw.dual, kSolver));
      double losses = 0;
      const VectorXd w = AsVector(WeightsOfDualPoint(problem, *learner, &losses));
      CHECK((w - fw.w).norm() <= 1e-4 * (1 + fw.w.norm()));
      ++passes;
      if (gap < 1e-4) break;  // closer to the optimum ties decide
    }
  }
  CHECK(passes > 30);
}

TEST_CASE("the cache and the line search save oracle calls") {
  Random random(4);
  std::int64_t plain = 0;
  std::int64_t cached = 0;
  std::int64_t searched = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 30, 5, 4, true), 0.01);
    TrainOptions options = OptionsOfPlanes(LearnerKind::kCuttingPlane1, 1e-3);
    options.check_every = 1;
    cached += Train(problem, options).last.oracle_calls;
    options.own<CuttingPlane1Options>().constraint_cache = Switch::kOff;
    plain += Train(problem, options).last.oracle_calls;
    options = OptionsOfPlanes(LearnerKind::kBundle, 1e-3);
    options.check_every = 1;
    searched += Train(problem, options).last.oracle_calls;
  }
  CAPTURE(plain);
  CAPTURE(cached);
  CAPTURE(searched);
  CHECK(cached < plain);
  CHECK(searched < plain);
}

TEST_CASE("planes that are violated only by rounding are not added again") {
  // Rounding of inner products of size 1e12 and more leaves existing planes violated. Adding them
  // again would not remove the violation.
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const double scale : {1e6, 1e8, 1e10}) {
      Random random(seed);
      const Problem problem(RandomProblem(random, {.num_examples = 2,
                                                   .num_variables = 2,
                                                   .max_states = 2,
                                                   .num_factors = 1,
                                                   .input_scale = scale}),
                            1e-3);
      TrainOptions options =
          With(OptionsOfPlanes(LearnerKind::kCuttingPlane1, 0), "--prune-after 0 --max-passes 15");
      CAPTURE(seed);
      CAPTURE(scale);
      CHECK(Train(problem, options).last.block_steps <= 2 * options.max_passes);  // planes
    }
  }
}

TEST_CASE("slack rescaling reaches the optimum of its own objective") {
  Random random(5);
  int different = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.1 : 0.02;
    const Problem problem(SomeProblem(random, trial), lambda);
    const double optimum = SolveSlackRescaled(problem.training(), lambda).value;
    different += Near(optimum, ExactOptimum(problem.training(), lambda), 1e-3) ? 0 : 1;
    for (const LearnerKind learner : {LearnerKind::kCuttingPlane1, LearnerKind::kCuttingPlaneN}) {
      TrainOptions options = With(OptionsOfPlanes(learner, 1e-6), "--rescaling slack");
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(Name(learner));
      CheckConverged(run);
      CHECK(run.summary.last.problem == CertifiedProblem::kExact);
      CHECK(Near(run.summary.last.primal,
                 SlackRescaledPrimal(problem.training(), lambda, run.summary.weights), kTight));
    }
  }
  CHECK(different > 3);
}

TEST_CASE("slack rescaling is refused where it is not supported") {
  const auto refusal = [](const std::string& text) {
    return RefusalOf(Given("--rescaling slack " + text));
  };
  for (const char* text : {"--learner soft", "--learner al", "--learner eg", "--learner dlpw"})
    CHECK(refusal(text).starts_with("--rescaling slack applies to --learner "));
  for (const char* text :
       {"", "--learner bcfw", "--learner bmrm", "--learner cutting-plane-n", "--learner prox-sdca"})
    CHECK(refusal(text) == "accepted");
  CHECK(refusal("--learner prox-sdca --smoothing 0.1")
            .starts_with("--smoothing cannot be combined with --rescaling slack"));
  CHECK(refusal("--learner multi-sample --online-loss on")
            .starts_with("--online-loss cannot be combined with --rescaling slack"));
  // Options of factor blocks leave `auto` no learner.
  CHECK(refusal("--rho 1") != "accepted");
  Random random(6);
  const Problem large(RandomMultiLabelProblem(random, 2, 13, 2, false), 0.1);
  CHECK_THROWS_WITH_AS(ChooseLearner(large, Given("--rescaling slack --rho 1")),
                       doctest::Contains("--rescaling slack"), DataError);
  const TrainOptions options = Given("--rescaling slack");
  CHECK(ChooseLearner(large, options).options.learner == LearnerKind::kBcfw);
  CHECK(MakeLearner(large, options) != nullptr);
}

TEST_CASE("runs of planes replay, continue bit for bit, and are verified from their dual point") {
  Random random(8);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.02);
    for (const SolverKind oracle : {SolverKind::kBruteForce, SolverKind::kMessages}) {
      TrainOptions options = OptionsOfPlanes(LearnerKind::kCuttingPlane1, 0);
      options.oracle = oracle;
      options.own<PlaneOptions>().prune_after = 3;
      CAPTURE(trial);
      CheckReplay(problem, options, 25);
      CheckTakeOver(problem, options, {9, 9, {}, true});
    }
    const TrainOptions to_gap = OptionsOfPlanes(LearnerKind::kCuttingPlane1, 1e-3);
    CHECK(CheckVerifies(problem, to_gap, 3000).verification.dual_proved);
  }
}

TEST_CASE("another lambda starts from the existing planes") {
  Random random(9);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.5);
    const auto learner = MakeLearner(problem, OptionsOfPlanes(LearnerKind::kCuttingPlane1, 0));
    for (int pass = 0; pass < 15; ++pass) learner->RunPass(kNever);
    for (const double lambda : {0.1, 0.3, 2.0}) {
      const Problem next = problem.WithLambda(lambda);
      const double optimum = ExactOptimum(next.training(), lambda);
      learner->traits().lambda->ChangeLambda(next);
      CHECK(learner->work().oracle_calls == 0);
      CAPTURE(trial);
      CAPTURE(lambda);
      const Evaluation first = learner->Evaluate(1);
      CHECK(first.dual <= optimum + kSolver);
      CHECK(first.primal >= optimum - kSolver);
      // Planes and corners of the previous λ already give a good dual for this λ.
      CHECK(first.dual >= 0.3 * optimum - kSolver);
      for (int pass = 0; pass < 60; ++pass) learner->RunPass(kNever);
      const Evaluation last = learner->Evaluate(1);
      CHECK(Near(last.dual, optimum, 1e-4));
      CHECK(Near(last.primal, optimum, 1e-4));
    }
  }
}
