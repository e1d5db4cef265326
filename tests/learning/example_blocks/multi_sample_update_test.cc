// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/multi_sample_update.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Core>
#include <Eigen/LU>

#include <slackline/core/feature_map.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>

#include "tests/support/learner_checks.h"
#include "tests/support/multiclass_problems.h"
#include "tests/support/quadratic_program.h"
#include "tests/support/random_models.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// min ½ αᵀQα/λt − αᵀH over α ≥ 0, Σα ≤ 1.
VectorXd SimplexOptimum(const MatrixXd& gram, const VectorXd& values, double lambda_t) {
  const Eigen::Index k = values.size();
  MatrixXd q = MatrixXd::Zero(k + 1, k + 1);
  q.topLeftCorner(k, k) = gram / lambda_t;
  VectorXd c = VectorXd::Zero(k + 1);
  c.head(k) = -values;
  return SolveQp(q, c, MatrixXd::Ones(1, k + 1), VectorXd::Ones(1)).x.head(k);
}

LabellingSample Sample(const TrainingSet& training, Index m, std::span<const Index> labels) {
  const ExampleView example = training.data.example(m);
  LabellingSample sample;
  sample.coordinates.assign(example.structure().num_coordinates(), 0.0);
  AddLabellingFeatures(example, example.labels(), 1, sample.coordinates);
  AddLabellingFeatures(example, labels, -1, sample.coordinates);
  for (Index i = 0; i < example.graph().num_variables(); ++i) {
    const Offset at = example.graph().state_offset(i) + labels[i];
    sample.loss += training.loss(m)[at];
  }
  return sample;
}

/// The dual objective of one example at lambda_t as a function of the example's point: D − w₀·Ψ −
/// ‖Ψ‖²/(2λt).
double DualValue(const TrainingSet& training, const std::vector<double>& w0,
                 const ExampleDual& dual, double lambda_t) {
  std::vector<double> features(w0.size(), 0.0);
  ScatterFeatures(training.data.example(0), dual.coordinates, 1, features);
  return dual.loss - std::inner_product(w0.begin(), w0.end(), features.begin(), 0.0) -
         std::inner_product(features.begin(), features.end(), features.begin(), 0.0) /
             (2 * lambda_t);
}

}  // namespace

TEST_CASE("algorithm two solves its quadratic program") {
  Random random(1);
  int full = 0;
  int partial = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto k = static_cast<Eigen::Index>(1 + random.Below(7));
    const double norm = trial % 4 == 0 ? 25.0 : 0.3 + random.Uniform();
    const double lambda_t = trial % 3 == 0 ? 5.0 : 0.5;
    std::vector<double> values = Normals(random, k);
    if (trial % 5 == 0) values[0] = values.back();
    const std::vector<double> alpha = MulticlassUpdate(values, norm, lambda_t);
    const MatrixXd gram = norm * (MatrixXd::Ones(k, k) + MatrixXd::Identity(k, k));
    const VectorXd reference =
        SimplexOptimum(gram, Eigen::Map<VectorXd>(values.data(), k), lambda_t);
    double sum = 0;
    for (Eigen::Index j = 0; j < k; ++j) {
      const double own = alpha[j];
      CHECK(own >= 0);
      CHECK(std::abs(own - reference[j]) < 1e-4);
      sum += own;
    }
    CHECK(sum <= 1 + 1e-12);
    (sum > 1 - 1e-9 ? full : partial) += 1;
  }
  CHECK(full > 20);
  CHECK(partial > 20);
}

TEST_CASE("algorithm two works without features or violations") {
  CHECK(MulticlassUpdate(std::vector<double>{-1, -2}, 1, 1) == std::vector<double>{0, 0});
  CHECK(MulticlassUpdate(std::vector<double>{0.5, 1, 1}, 0, 1) == std::vector<double>{0, 1, 0});
  CHECK(MulticlassUpdate({}, 1, 1).empty());
  CHECK_THROWS_AS(MulticlassUpdate(std::vector<double>{1}, -1, 1), std::invalid_argument);
}

TEST_CASE("moves raise the dual and keep its sums up to date") {
  Random random(2);
  for (int trial = 0; trial < 30; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.num_examples = 1;
    const TrainingSet training = RandomProblem(random, shape);
    const ExampleView example = training.data.example(0);
    const double lambda_t = trial % 3 == 0 ? 0.05 : 2.0;
    std::vector<double> w0 = Normals(random, training.data.layout().size(), 0.3);
    std::vector<LabellingSample> samples = {Sample(training, 0, example.labels())};
    for (int k = 0; k < 4; ++k)
      samples.push_back(Sample(training, 0, RandomLabels(random, example.graph())));
    const std::size_t count = example.structure().num_coordinates();
    std::vector<double> u(count), change;
    CoordinateScores(example, w0, u);
    ExampleDual dual{std::vector<double>(count, 0.0), 0, 0};
    FeatureGram gram;
    double value = 0;
    for (int round = 0; round < 6; ++round) {
      for (const LabellingSample& sample : samples) {
        MultiSampleUpdate(example, {&sample, 1}, lambda_t, {}, u, &dual, &change, &gram);
        const double next = DualValue(training, w0, dual, lambda_t);
        CHECK(next >= value - 1e-12 * std::max(1.0, std::abs(value)));
        CHECK(dual.mass >= 0);
        CHECK(dual.mass <= 1);
        value = next;
      }
    }
    // The scores are those of the weights that the point represents.
    std::vector<double> w = w0, moved(count);
    ScatterFeatures(example, dual.coordinates, 1 / lambda_t, w);
    CoordinateScores(example, w, moved);
    for (std::size_t k = 0; k < count; ++k) CHECK(Near(moved[k], u[k], 1e-9));
    // Many rounds approach the best point of the convex hull of the samples.
    MultiSampleUpdate(example, samples, lambda_t, {.rounds = 3000}, u, &dual, &change, &gram);
    MatrixXd q(5, 5);
    VectorXd h(5);
    std::vector<VectorXd> psi;
    for (const LabellingSample& sample : samples) {
      std::vector<double> features(w0.size(), 0.0);
      ScatterFeatures(example, sample.coordinates, 1, features);
      psi.push_back(
          Eigen::Map<VectorXd>(features.data(), static_cast<Eigen::Index>(features.size())));
    }
    const Eigen::Map<VectorXd> w_0(w0.data(), static_cast<Eigen::Index>(w0.size()));
    for (int a = 0; a < 5; ++a) {
      h[a] = samples[a].loss - w_0.dot(psi[a]);
      for (int b = 0; b < 5; ++b) q(a, b) = psi[a].dot(psi[b]);
    }
    const VectorXd best = SimplexOptimum(q, h, lambda_t);
    const double optimum = h.dot(best) - best.dot(q * best) / (2 * lambda_t);
    const double reached = DualValue(training, w0, dual, lambda_t);
    CHECK(reached <= optimum + 1e-7 * std::max(1.0, optimum));
    CHECK(reached >= optimum - 0.02 * std::max(1.0, optimum));
  }
}

TEST_CASE("the swap move has the curvature of the difference") {
  // Two classes beside the given one; an expand move towards either takes its full mass. Half of
  // each is better than the second class alone. The curvature ‖u + v‖² of the printed formula would
  // stop short of this mixture.
  Random random(3);
  const MulticlassProblem problem = RandomMulticlassProblem(random, 1, 3, 2);
  const Index given = problem.labels[0];
  std::vector<LabellingSample> samples;
  for (Index j = 0; j < 3; ++j) {
    if (j != given) samples.push_back(Sample(problem.training, 0, std::vector<Index>{j}));
  }
  const ExampleView example = problem.training.data.example(0);
  const double norm = problem.rows->row(0).squared_norm;
  const double lambda_t = 100 * norm;  // weak curvature: the first expand move is limited to mass 1
  std::vector<double> u(example.structure().num_coordinates(), 0.0), change;
  ExampleDual dual{std::vector<double>(u.size(), 0.0), 0, 0};
  FeatureGram gram;
  MultiSampleUpdate(example, samples, lambda_t, {}, u, &dual, &change, &gram);
  CHECK(dual.mass == 1);
  // H is the same for both classes, so their best mixture is the middle: ‖ψ_1 − α(ψ_1 − ψ_2)‖² is
  // smallest at α = 1/2.
  for (Index j = 0; j < 3; ++j) {
    if (j != given) CHECK(Near(dual.coordinates[j], -0.5, kExact));
  }
  CHECK(Near(dual.coordinates[given], 1.0, kExact));
}

TEST_CASE("wrong sizes are refused") {
  Random random(4);
  const MulticlassProblem problem = RandomMulticlassProblem(random, 1, 3, 2);
  const ExampleView example = problem.training.data.example(0);
  std::vector<double> u(3, 0.0), change;
  ExampleDual dual{std::vector<double>(2, 0.0), 0, 0};
  FeatureGram gram;
  CHECK_THROWS_AS(MultiSampleUpdate(example, {}, 1, {}, u, &dual, &change, &gram),
                  std::invalid_argument);
  dual.coordinates.resize(3);
  CHECK_THROWS_AS(MultiSampleUpdate(example, {}, 0, {}, u, &dual, &change, &gram),
                  std::invalid_argument);
}

namespace {

/// The best α ≥ 0, Σα ≤ 1 of Σ_j α_j H_j − norm (‖α‖² + (Σα)²)/(2 λt), by trying all sets of
/// positive α with and without Σα = 1.
std::vector<double> BestMixture(const std::vector<double>& values, double norm, double lambda_t) {
  const std::size_t n = values.size();
  std::vector<double> best(n, 0.0);
  double best_value = 0;
  for (unsigned set = 1; set < 1U << n; ++set) {
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < n; ++j) {
      if ((set >> j & 1U) != 0) chosen.push_back(j);
    }
    const auto k = static_cast<Eigen::Index>(chosen.size());
    for (const bool full : {false, true}) {
      // The gradient vanishes, up to a multiplier of Σα = 1 in the last row.
      Eigen::MatrixXd a = Eigen::MatrixXd::Zero(k + 1, k + 1);
      Eigen::VectorXd b(k + 1);
      a.topLeftCorner(k, k) =
          norm / lambda_t * (Eigen::MatrixXd::Ones(k, k) + Eigen::MatrixXd::Identity(k, k));
      for (Eigen::Index j = 0; j < k; ++j) {
        b[j] = values[chosen[j]];
        a(j, k) = 1;
        if (full) a(k, j) = 1;
      }
      b[k] = full ? 1 : 0;
      if (!full) a(k, k) = 1;
      const Eigen::VectorXd x = a.fullPivLu().solve(b).head(k);
      if (x.minCoeff() < 0 || x.sum() > 1 + 1e-12) continue;
      double value = -norm / (2 * lambda_t) * (x.squaredNorm() + x.sum() * x.sum());
      for (Eigen::Index j = 0; j < k; ++j) value += x[j] * values[chosen[j]];
      if (value <= best_value) continue;
      best_value = value;
      std::fill(best.begin(), best.end(), 0.0);
      for (Eigen::Index j = 0; j < k; ++j) best[chosen[j]] = x[j];
    }
  }
  return best;
}

/// Online, as many labellings as there are classes.
TrainOptions AllClasses(Index classes) {
  TrainOptions options = Options(LearnerKind::kMultiSample, StepKind::kAuto, 1e-2);
  options.oracle = SolverKind::kBruteForce;
  options.own<MultiSampleOptions>().samples = classes;
  options.own<MultiSampleOptions>().revisit = false;
  return options;
}

}  // namespace

TEST_CASE("steps with own costs of errors are the best mixture of all wrong classes") {
  Random random(12);
  constexpr Index kClasses = 4, kFeatures = 3;
  bool mixed = false;
  for (int trial = 0; trial < 12; ++trial) {
    std::vector<double> costs(kClasses * kClasses, 0.0);
    for (std::size_t k = 0; k < costs.size(); ++k) {
      if (k % (kClasses + 1) != 0) costs[k] = trial % 3 == 0 ? 5 * random.Uniform() : 1 + (k % 2);
    }
    const MulticlassProblem multiclass =
        RandomMulticlassProblem(random, 1, kClasses, kFeatures, costs);
    const double lambda = trial % 2 == 0 ? 0.5 : 0.05;
    const Problem problem(multiclass.training, lambda);
    const Index truth = multiclass.labels[0];
    const double largest =
        *std::max_element(&costs[truth * kClasses], &costs[truth * kClasses] + 4);
    const FeatureRow x = multiclass.rows->row(0);
    const auto learner = MakeLearner(problem, AllClasses(kClasses));
    std::vector<double> w(kClasses * kFeatures, 0.0);
    for (int t = 1; t <= 4; ++t) {
      for (double& value : w) value *= (t - 1.0) / t;
      const auto score = [&](Index y) {
        double sum = 0;
        for (Index f = 0; f < kFeatures; ++f) sum += w[f * kClasses + y] * x.values[f];
        return sum;
      };
      std::vector<Index> wrong;
      std::vector<double> values;
      for (Index y = 0; y < kClasses; ++y) {
        if (y == truth) continue;
        wrong.push_back(y);
        values.push_back(costs[truth * kClasses + y] + score(y) - score(truth));
      }
      const std::vector<double> alpha = BestMixture(values, x.squared_norm, lambda * t);
      mixed =
          mixed || std::count_if(alpha.begin(), alpha.end(), [](double a) { return a > 0; }) > 1;
      for (Index f = 0; f < kFeatures; ++f) {
        for (std::size_t j = 0; j < wrong.size(); ++j) {
          const double move = alpha[j] * x.values[f] / (lambda * t);
          w[f * kClasses + truth] += move;
          w[f * kClasses + wrong[j]] -= move;
        }
      }
      const double squared = std::inner_product(w.begin(), w.end(), w.begin(), 0.0);
      const double share = std::min(1.0, std::sqrt(largest / lambda / squared));
      for (double& value : w) value *= share;
      learner->RunPass(kNever);
      learner->Evaluate(1);
      for (std::size_t k = 0; k < w.size(); ++k) CHECK(Near(learner->weights()[k], w[k], 1e-9));
    }
  }
  CHECK(mixed);
}
