// SPDX-License-Identifier: BSD-3-Clause
//
// cutting-plane-1, cutting-plane-n and bmrm: the optima of independent quadratic programs, the
// equivalences stated in the papers, and the functions of learners beside training.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/planes/joint_planes.h>
#include <slackline/learning/planes/plane_options.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/agreement.h"
#include "tests/support/all_labellings.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/dense_qp.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr LearnerKind kPlaneLearners[] = {LearnerKind::kCuttingPlane1, LearnerKind::kCuttingPlaneN,
                                          LearnerKind::kBundle};

TrainOptions OptionsOfPlanes(LearnerKind learner, double gap) {
  TrainOptions options = Options(learner, StepKind::kAuto, gap);
  options.oracle = SolverKind::kBruteForce;
  options.max_passes = 3000;
  return options;
}

using Eigen::VectorXd;

/// A corner of the product of all examples' simplexes, reduced to the quantities in the objective:
/// (1/M) Σ ψ_m and (1/M) Σ Δ_m.
struct JointCorner {
  VectorXd psi;
  double loss = 0;
};

/// argmax_y Δ_m(y) − w·ψ_m(y) of every example by enumeration; the first among ties.
JointCorner BestJointCorner(const TrainingSet& training, const VectorXd& w) {
  JointCorner joint{VectorXd::Zero(w.size()), 0};
  const double share = 1.0 / training.data.size();
  for (Index m = 0; m < training.data.size(); ++m) {
    const ExampleView example = training.data.example(m);
    const FactorGraph& graph = example.graph();
    const VectorXd given = DenseFeaturesOf(example, example.labels());
    JointCorner best{VectorXd::Zero(w.size()), 0};
    double most = -kInfinity;
    for (const auto& labels : AllLabellings(graph.cardinalities())) {
      double loss = 0;
      for (Index i = 0; i < graph.num_variables(); ++i)
        loss += training.loss(m)[graph.state_offset(i) + labels[i]];
      const VectorXd psi = given - DenseFeaturesOf(example, labels);
      if (loss - w.dot(psi) > most) {
        most = loss - w.dot(psi);
        best = {psi, loss};
      }
    }
    joint.psi += share * best.psi;
    joint.loss += share * best.loss;
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

/// w of the learner's dual point.
VectorXd DualWeights(const Problem& problem, const Learner& learner) {
  std::vector<double> w(problem.num_weights(), 0.0);
  std::vector<double> coordinates;
  double loss = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    REQUIRE(learner.traits().dual_point->DualPoint(m, &coordinates, &loss));
    for (double& q : coordinates) q = -q;
    AddLabellingFeatures(example, example.labels(), 1, coordinates);
    ScatterFeatures(example, coordinates, 1 / problem.lambda_m(), w);
  }
  return Eigen::Map<const VectorXd>(w.data(), static_cast<Eigen::Index>(w.size()));
}

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
      CAPTURE(run.summary.message);
      CHECK(run.sound);
      CHECK(run.summary.last.problem ==
            (binary ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact));
      CHECK(run.summary.termination == Termination::kConverged);
      CHECK(Near(run.summary.last.primal, optimum, 3e-6));
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
    TrainOptions options = OptionsOfPlanes(LearnerKind::kCuttingPlane1, 0);
    options.own<CuttingPlane1Options>().constraint_cache = Switch::kOff;
    options.own<PlaneOptions>().prune_after = 0;
    const auto learner = MakeLearner(problem, options);
    FullyCorrective fw;
    fw.w = VectorXd::Zero(problem.num_weights());
    fw.corners.push_back({fw.w, 0});
    for (int pass = 0; pass < 12; ++pass) {
      const JointCorner corner = BestJointCorner(problem.training(), fw.w);
      const double gap = corner.loss - fw.w.dot(corner.psi) + lambda * fw.w.squaredNorm() -
                         fw.dual - lambda / 2 * fw.w.squaredNorm();
      fw.corners.push_back(corner);
      fw.Correct(lambda);
      learner->RunPass(kNever);
      CAPTURE(trial);
      CAPTURE(pass);
      CHECK(Near(learner->Evaluate(1).dual, fw.dual, kSolver));
      CHECK((DualWeights(problem, *learner) - fw.w).norm() <= 1e-4 * (1 + fw.w.norm()));
      ++passes;
      if (gap < 1e-4) break;  // closer to the optimum ties decide
    }
  }
  CHECK(passes > 30);
}

TEST_CASE("bmrm without line search is cutting-plane-1 without its cache") {
  Random random(3);
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.05);
    TrainOptions one = OptionsOfPlanes(LearnerKind::kCuttingPlane1, 1e-7);
    one.own<CuttingPlane1Options>().constraint_cache = Switch::kOff;
    TrainOptions bmrm = OptionsOfPlanes(LearnerKind::kBundle, 1e-7);
    bmrm.own<BundleOptions>().line_search = Switch::kOff;
    const TrainSummary a = Train(problem, one);
    const TrainSummary b = Train(problem, bmrm);
    CHECK(a.weights == b.weights);
    CHECK(a.last.dual == b.last.dual);
    CHECK(a.last.pass == b.last.pass);
    CHECK(a.last.pass > 1);
  }
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
      ProblemOptions shape;
      shape.num_examples = shape.num_variables = shape.max_states = 2;
      shape.num_factors = 1;
      shape.input_scale = scale;
      const Problem problem(RandomProblem(random, shape), 1e-3);
      TrainOptions options = OptionsOfPlanes(LearnerKind::kCuttingPlane1, 0);
      options.own<PlaneOptions>().prune_after = 0;
      options.max_passes = 15;
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
      TrainOptions options = OptionsOfPlanes(learner, 1e-6);
      options.rescaling = Rescaling::kSlack;
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(Name(learner));
      CHECK(run.sound);
      CHECK(run.summary.termination == Termination::kConverged);
      CHECK(run.summary.last.problem == CertifiedProblem::kExact);
      CHECK(Near(run.summary.last.primal,
                 SlackRescaledPrimal(problem.training(), lambda, run.summary.weights), kTight));
    }
  }
  CHECK(different > 3);
}

TEST_CASE("slack rescaling is refused where it is not supported") {
  TrainOptions options;
  options.rescaling = Rescaling::kSlack;
  for (const LearnerKind learner : {LearnerKind::kSoft, LearnerKind::kAugmentedLagrangian,
                                    LearnerKind::kExponentiatedGradient, LearnerKind::kDlpw}) {
    options.learner = learner;
    CHECK(RefusalOf(options).starts_with("--rescaling slack applies to --learner "));
  }
  for (const LearnerKind learner : {LearnerKind::kAuto, LearnerKind::kBcfw, LearnerKind::kBundle,
                                    LearnerKind::kCuttingPlaneN, LearnerKind::kProxSdca}) {
    options.learner = learner;
    CHECK(RefusalOf(options) == "accepted");
  }
  options.smoothing = 0.1;
  CHECK(RefusalOf(options).starts_with("--smoothing cannot be combined with --rescaling slack"));
  options = {};
  options.rescaling = Rescaling::kSlack;
  options.learner = LearnerKind::kMultiSample;
  options.own<MultiSampleOptions>().online_loss = true;
  CHECK(RefusalOf(options).starts_with("--online-loss cannot be combined with --rescaling slack"));
  // Options of factor blocks leave `auto` no learner.
  options = {};
  options.rescaling = Rescaling::kSlack;
  options.own<PenaltyOptions>().rho = 1;
  CHECK(RefusalOf(options) != "accepted");
  Random random(6);
  const Problem large(RandomMultiLabelProblem(random, 2, 13, 2, false), 0.1);
  CHECK_THROWS_WITH_AS(ChooseLearner(large, options), doctest::Contains("--rescaling slack"),
                       DataError);
  options.own<PenaltyOptions>().rho = 0;
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

TEST_CASE("bounds are sound on unpleasant problems") {
  Random random(11);
  for (int trial = 0; trial < 40; ++trial) {
    ProblemOptions shape = RandomHardOptions(random);
    shape.num_examples = std::min<Index>(shape.num_examples, 3);
    const double lambda = std::vector{1e-8, 1e-4, 0.01, 1.0, 1e6}[trial % 5];
    const Problem problem(RandomProblem(random, shape), lambda);
    const bool binary = IsBinaryPairwise(problem.data().structures()[0]->graph()) &&
                        problem.data().structures().size() == 1;
    for (const LearnerKind kind : kPlaneLearners) {
      TrainOptions options = OptionsOfPlanes(kind, 1e-9);
      options.oracle = binary           ? SolverKind::kRoof
                       : trial % 2 == 0 ? SolverKind::kMessages
                                        : SolverKind::kBruteForce;
      options.max_passes = 40;
      options.own<PlaneOptions>().prune_after = trial % 3 == 0 ? 2 : 50;
      options.check_every = trial % 4 == 0 ? 1 : 0;
      CAPTURE(trial);
      CAPTURE(Name(kind));
      CAPTURE(lambda);
      const TrainSummary summary = Train(problem, options);
      CheckNumbers(summary);
      CHECK(summary.last.dual >= 0);
    }
  }
}
