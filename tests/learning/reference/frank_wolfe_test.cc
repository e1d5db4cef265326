// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reference/frank_wolfe.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/never.h"
#include "tests/support/simplex_quadratic.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The dual of a structural SVM with all labellings as columns: λ/2 ‖Aα‖² − b·α, one simplex per
/// example.
class SvmDual {
 public:
  explicit SvmDual(const Problem& problem) : lambda_(problem.lambda()) {
    const double m_count = problem.size();
    for (Index m = 0; m < problem.size(); ++m) {
      const ExampleView example = problem.data().example(m);
      const FactorGraph& graph = example.graph();
      const auto features = [&](std::span<const Index> labels) {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(problem.num_weights());
        for (Index i = 0; i < graph.num_variables(); ++i)
          sum += DenseFeatures(example, i, labels[i]);
        for (Index c = 0; c < graph.num_factors(); ++c)
          sum += DenseFeatures(example, graph.num_variables() + c, JointState(graph, c, labels));
        return sum;
      };
      const Eigen::VectorXd given = features(example.labels());
      const std::size_t variables = graph.num_variables();
      Eigen::MatrixXd a(problem.num_weights(), 1 << variables);
      Eigen::VectorXd b(1 << variables);
      std::vector<double> start(std::size_t{1} << variables, 0.0);
      for (Index y = 0; y < (1 << variables); ++y) {  // binary variables, the last one fastest
        std::vector<Index> labels(variables);
        double loss = 0;
        for (std::size_t i = 0; i < variables; ++i) {
          labels[i] = (y >> (variables - 1 - i)) & 1;
          loss += problem.loss(m)[graph.state_offset(static_cast<Index>(i)) + labels[i]];
        }
        a.col(y) = (given - features(labels)) / problem.lambda_m();
        b[y] = loss / m_count;
        const std::span<const Index> truth = example.labels();
        if (std::equal(labels.begin(), labels.end(), truth.begin())) start[y] = 1;
      }
      columns_.push_back(std::move(a));
      losses_.push_back(std::move(b));
      start_.insert(start_.end(), start.begin(), start.end());
    }
  }

  Index num_blocks() const { return static_cast<Index>(columns_.size()); }
  Index block_size(Index i) const { return static_cast<Index>(losses_[i].size()); }
  void Gradient(Index i, std::span<const double> x, std::span<double> out) const {
    const Eigen::VectorXd gradient = lambda_ * columns_[i].transpose() * Weights(x) - losses_[i];
    std::copy(gradient.begin(), gradient.end(), out.begin());
  }
  void Minimise(Index /*i*/, std::span<const double> gradient, std::span<double> out) {
    SmallestEntry(gradient, out);
    const double best = *std::min_element(gradient.begin(), gradient.end());
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      if (out[k] == 0) smallest_lead_ = std::min(smallest_lead_, gradient[k] - best);
    }
  }
  double LineSearch(Index i, std::span<const double> /*x*/, std::span<const double> direction,
                    double slope) const {
    const Eigen::Map<const Eigen::VectorXd> d(direction.data(),
                                              static_cast<Index>(direction.size()));
    const double curvature = lambda_ * (i == kAllBlocks ? Weights(direction).squaredNorm()
                                                        : (columns_[i] * d).squaredNorm());
    return -slope < curvature ? -slope / curvature : 1;
  }

  Eigen::VectorXd Weights(std::span<const double> x) const {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(columns_[0].rows());
    std::size_t begin = 0;
    for (const Eigen::MatrixXd& a : columns_) {
      w += a * Eigen::Map<const Eigen::VectorXd>(x.data() + begin, a.cols());
      begin += a.cols();
    }
    return w;
  }
  const std::vector<double>& start() const { return start_; }
  /// The smallest difference between the best and the second-best corner in any step. A line search
  /// ends where the two are equal; then rounding decides which one comes first.
  double smallest_lead() const { return smallest_lead_; }

 private:
  double lambda_;
  std::vector<Eigen::MatrixXd> columns_;
  std::vector<Eigen::VectorXd> losses_;
  std::vector<double> start_;
  double smallest_lead_ = kInfinity;
};

/// w of a learner's dual point at its newest iterate, whatever weights the learner would save.
Eigen::VectorXd WeightsOfDualPoint(const Problem& problem, const Learner& learner) {
  std::vector<double> weights(problem.num_weights(), 0.0);
  std::vector<double> coordinates;
  double loss = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    REQUIRE(learner.traits().dual_point->DualPoint(m, &coordinates, &loss));
    ScatterFeatures(example, coordinates, -1 / problem.lambda_m(), weights);
    coordinates.assign(coordinates.size(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, coordinates);
    ScatterFeatures(example, coordinates, 1 / problem.lambda_m(), weights);
  }
  return Eigen::Map<Eigen::VectorXd>(weights.data(), static_cast<Index>(weights.size()));
}

/// Compares iterates until the first tie; returns the number of passes compared.
template <class Method>
int CheckSameIterates(const Problem& problem, const SvmDual& dual, LearnerKind kind, bool fixed,
                      Method& method) {
  TrainOptions options =
      Options(kind, kind == LearnerKind::kBcfw ? StepKind::kFrankWolfe : StepKind::kAuto, 0);
  options.oracle = SolverKind::kBruteForce;
  options.fixed_step = fixed;
  const auto learner = MakeLearner(problem, options);
  for (int pass = 0; pass < 25; ++pass) {
    learner->RunPass(kNever);
    method.Pass();
    if (dual.smallest_lead() < 1e-10) return pass;
    const Eigen::VectorXd expected = dual.Weights(method.point());
    const double apart = (WeightsOfDualPoint(problem, *learner) - expected).norm();
    CAPTURE(pass);
    CHECK(apart <= 1e-8 * std::max(1.0, expected.norm()));
    if (pass == 0) CHECK(expected.norm() > 0);
  }
  return 25;
}

}  // namespace

TEST_CASE("every variant reaches the optimum and its gap is a bound") {
  Random random(61);
  for (int trial = 0; trial < 6; ++trial) {
    SimplexQuadratic quadratic(random, {3, 2, 4, 1}, 5);
    const double optimum = quadratic.Optimum();
    for (const bool fixed : {false, true}) {
      for (const OrderKind order : {OrderKind::kUniform, OrderKind::kExample}) {
        FrankWolfeOptions options;
        options.fixed_step = fixed;
        options.order = order;
        FrankWolfe method(&quadratic, quadratic.Start(), options);
        double gap = method.Gap();
        for (int pass = 0; pass < 400; ++pass) {
          if (pass % 20 == 0) {
            gap = method.Gap();
            CHECK(quadratic.Value(method.point()) - optimum <= gap + kTight);
          }
          method.Pass();
        }
        CAPTURE(trial);
        CHECK(method.steps() == 400 * 4);
        CHECK(Near(quadratic.Value(method.point()), optimum, 2e-2));
        CHECK(gap < 0.2);
        CHECK(quadratic.Infeasibility(method.point()) <= kExact);
      }
    }
  }
}

TEST_CASE("the learners make the same steps") {
  Random random(62);
  int batch_passes = 0;
  int block_passes = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 5, 3, 3, true),
                          trial % 2 == 0 ? 0.3 : 0.02);
    for (const bool fixed : {false, true}) {
      CAPTURE(trial);
      CAPTURE(fixed);
      SvmDual dual(problem);
      FrankWolfeOptions options;
      options.fixed_step = fixed;
      options.order = OrderKind::kExample;
      FrankWolfe block_wise(&dual, dual.start(), options);
      block_passes += CheckSameIterates(problem, dual, LearnerKind::kBcfw, fixed, block_wise);
      SvmDual again(problem);
      AsOneBlock<SvmDual> whole(&again);
      FrankWolfe batch(&whole, again.start(), options);
      batch_passes += CheckSameIterates(problem, again, LearnerKind::kFrankWolfe, fixed, batch);
    }
  }
  CHECK(block_passes > 150);
  CHECK(batch_passes > 150);
}

TEST_CASE("the average is that of the iterates, without the start") {
  Random random(63);
  SimplexQuadratic quadratic(random, {3, 2, 4}, 5);
  FrankWolfe method(&quadratic, quadratic.Start(), {});
  std::vector<double> sum(method.point().size(), 0.0);
  for (int step = 1; step <= 50; ++step) {
    method.Step();
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] += step * method.point()[k];
      CHECK(Near(method.average()[k], sum[k] / (0.5 * step * (step + 1)), kExact));
    }
  }
}

TEST_CASE("one block of all blocks is Frank-Wolfe on the product") {
  // With one block there is nothing to join.
  Random random(64);
  SimplexQuadratic quadratic(random, {6}, 4);
  AsOneBlock<SimplexQuadratic> whole(&quadratic);
  FrankWolfe plain(&quadratic, quadratic.Start(), {});
  FrankWolfe joined(&whole, quadratic.Start(), {});
  for (int step = 0; step < 30; ++step) {
    CHECK(plain.Step() == joined.Step());
    CHECK(std::equal(plain.point().begin(), plain.point().end(), joined.point().begin()));
  }
}

TEST_CASE("arguments that do not fit are refused") {
  Random random(66);
  SimplexQuadratic quadratic(random, {2, 3}, 4);
  const auto refused = [&](const FrankWolfeOptions& options, std::vector<double> start) {
    CHECK_THROWS_AS(FrankWolfe(&quadratic, start, options), std::invalid_argument);
  };
  refused({}, {1.0, 0.0});
  refused({.quality = 0}, quadratic.Start());
  refused({.quality = 1.1}, quadratic.Start());
  refused({.order = OrderKind::kGap}, quadratic.Start());
}
