// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/prox_sdca.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Dense>

#include <slackline/core/check.h>

#include "tests/support/multiclass_problems.h"
#include "tests/support/prox_reference.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr std::array kAllSteps = {SdcaStep::kMaximise, SdcaStep::kLineSearch, SdcaStep::kOwnBound,
                                  SdcaStep::kCommonBound, SdcaStep::kSmooth};

std::shared_ptr<FeatureRows> RandomRows(Random& random, Index count, Index dimension, bool sparse) {
  auto rows = std::make_shared<FeatureRows>();
  for (Index r = 0; r < count; ++r) {
    std::vector<double> values;
    std::vector<Index> columns;
    for (Index f = 0; f < dimension; ++f) {
      if (sparse && f + 1 < dimension && random.Uniform() < 0.5) continue;
      columns.push_back(f);
      values.push_back(random.Normal());
    }
    sparse ? rows->AddSparse(columns, values) : rows->AddDense(values);
  }
  return rows;
}

std::vector<double> RandomSigns(Random& random, Index count) {
  std::vector<double> signs;
  for (Index k = 0; k < count; ++k) signs.push_back(random.Uniform() < 0.5 ? 1.0 : -1.0);
  return signs;
}

/// Checks that bounds are sound and that the dual never falls; returns the last point.
SdcaPoint RunToGap(ProxSdca* sdca, Index n, double gap, int passes) {
  SdcaPoint point = sdca->Newest();
  double dual = point.dual;
  for (int pass = 0; pass < passes && point.gap() > gap; ++pass) {
    sdca->Run(n);
    point = sdca->Newest();
    CHECK(point.dual <= point.primal + 1e-12);
    CHECK(point.dual >= dual - 1e-12);
    dual = point.dual;
  }
  return point;
}

/// Features given as general matrices, as users may have them: X_i is d × k.
class MatrixFeatures : public SdcaFeatures {
 public:
  explicit MatrixFeatures(std::vector<Eigen::MatrixXd> x) : x_(std::move(x)) {}
  Index size() const override { return static_cast<Index>(x_.size()); }
  Offset dimension() const override { return x_[0].rows(); }
  Index outputs() const override { return static_cast<Index>(x_[0].cols()); }
  void Scores(Index i, std::span<const double> w, std::span<double> z) const override {
    Map(z) = At(i).transpose() * Eigen::Map<const Eigen::VectorXd>(w.data(), dimension());
  }
  void Add(Index i, std::span<const double> a, double scale, std::span<double> v) const override {
    Map(v) += scale * (At(i) * Eigen::Map<const Eigen::VectorXd>(a.data(), outputs()));
  }
  void Rows(Index, std::vector<Offset>* rows) const override {
    rows->resize(dimension());
    std::iota(rows->begin(), rows->end(), Offset{0});
  }
  double SquaredNorm(Index i, std::span<const double> a, DualNorm norm) const override {
    const Eigen::VectorXd xa = At(i) * Eigen::Map<const Eigen::VectorXd>(a.data(), outputs());
    const double largest = xa.cwiseAbs().maxCoeff();
    return norm == DualNorm::kEuclidean ? xa.squaredNorm() : largest * largest;
  }
  double SquaredBound(Index i, DualNorm) const override { return At(i).squaredNorm(); }
  double EvenSquaredNorm(Index, DualNorm) const override { return std::nan(""); }

 private:
  const Eigen::MatrixXd& At(Index i) const { return x_[i]; }
  static Eigen::Map<Eigen::VectorXd> Map(std::span<double> x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
  }
  std::vector<Eigen::MatrixXd> x_;
};

}  // namespace

TEST_CASE("ridge regression is solved by all options") {
  Random random(1);
  const Index n = 12;
  const Index d = 4;
  const auto rows = RandomRows(random, n, d, false);
  std::vector<double> targets;
  for (Index i = 0; i < n; ++i) targets.push_back(random.Normal());
  const double lambda = 0.1;
  Eigen::MatrixXd x(n, d);
  for (Index i = 0; i < n; ++i)
    x.row(i) = Eigen::Map<const Eigen::RowVectorXd>(rows->row(i).values, d);
  const Eigen::Map<const Eigen::VectorXd> y(targets.data(), n);
  const Eigen::VectorXd w = (x.transpose() * x / n + lambda * Eigen::MatrixXd::Identity(d, d))
                                .ldlt()
                                .solve(x.transpose() * y / n);
  const RowFeatures features(rows, 1);
  const ScalarLoss loss(ScalarLossKind::kSquared, targets);
  for (const SdcaStep step : kAllSteps) {
    ProxSdca sdca(features, loss, ProxRegulariser(ProxKind::kL2, d), lambda, step, 1);
    const SdcaPoint point = RunToGap(&sdca, n, 1e-13, 4000);
    CHECK(point.gap() <= 1e-13);
    for (Index k = 0; k < d; ++k) CHECK(Near(point.weights[k], w[k], 1e-6));
    for (Index k = 0; k < d; ++k) CHECK(Near(sdca.weights()[k], w[k], 1e-6));
  }
}

TEST_CASE("scalar losses close their gap under all regularisers") {
  Random random(2);
  const Index n = 10;
  for (const bool sparse : {false, true}) {
    const auto rows = RandomRows(random, n, 9, sparse);
    const RowFeatures features(rows, 1);
    const std::vector<double> signs = RandomSigns(random, n);
    for (const ScalarLossKind kind :
         {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge, ScalarLossKind::kLogistic}) {
      const ScalarLoss loss(kind, signs, 0.5);
      for (const ProxKind regulariser : {ProxKind::kL2, ProxKind::kElasticNet, ProxKind::kQNorm}) {
        const ProxRegulariser g(regulariser, 9, regulariser == ProxKind::kL2 ? 0.0 : 0.2);
        double optimum = std::nan("");
        for (const SdcaStep step : kAllSteps) {
          if (step == SdcaStep::kSmooth && loss.gamma() == 0) continue;
          // Steps by bounds converge slowly for losses that are not smooth.
          const bool slow = loss.gamma() == 0 && step >= SdcaStep::kOwnBound;
          ProxSdca sdca(features, loss, g, 0.2, step, 3);
          const double wanted = slow ? 2e-2 : 1e-6;
          const SdcaPoint point = RunToGap(&sdca, n, wanted, 3000);
          CHECK(point.gap() <= wanted);
          if (std::isnan(optimum)) optimum = point.dual;
          CHECK(Near(point.dual, optimum, wanted));
          CHECK(point.primal >= optimum - 1e-9);
        }
      }
    }
  }
}

TEST_CASE("multiclass problems reach the optimum of a quadratic program") {
  Random random(3);
  for (int trial = 0; trial < 6; ++trial) {
    const MulticlassProblem problem = RandomMulticlassProblem(random, 6, 3, 4);
    const double lambda = 0.1;
    const double l1 = trial % 3 == 0 ? 0.0 : 0.02 * trial;
    const double gamma = trial % 2 == 0 ? 0.0 : 0.3;
    const Optimum optimum = SolveProx(problem.training, lambda, l1, gamma);
    const RowFeatures features(problem.rows, 3);
    const MulticlassLoss loss(3, problem.labels, gamma);
    const ProxRegulariser g(l1 > 0 ? ProxKind::kElasticNet : ProxKind::kL2, features.dimension(),
                            l1 / lambda);
    for (const SdcaStep step : kAllSteps) {
      if (step == SdcaStep::kSmooth && gamma == 0) continue;
      CAPTURE(trial);
      CAPTURE(static_cast<int>(step));
      ProxSdca sdca(features, loss, g, lambda, step, 1);
      // Losses that are not smooth: line searches towards one corner at a time converge like 1/t.
      const double wanted = gamma > 0 ? 1e-7 : step == SdcaStep::kMaximise ? 1e-3 : 2e-2;
      const SdcaPoint point = RunToGap(&sdca, 6, wanted, 3000);
      CHECK(point.gap() <= wanted);
      CHECK(point.dual <= optimum.value + kSolver);
      CHECK(point.primal >= optimum.value - kSolver);
      if (gamma == 0) continue;
      // The structured problem orders its weights by feature, this one by class.
      for (std::size_t f = 0; f < 4; ++f) {
        for (std::size_t j = 0; j < 3; ++j)
          CHECK(std::abs(point.weights[j * 4 + f] - optimum.weights[f * 3 + j]) <= 3e-3);
      }
    }
  }
}

TEST_CASE("features as general matrices give the results of rows") {
  Random random(4);
  const Index n = 5;
  const auto rows = RandomRows(random, n, 3, false);
  const std::vector<Index> labels = {0, 1, 1, 0, 1};
  std::vector<Eigen::MatrixXd> x;
  for (Index i = 0; i < n; ++i) {
    x.push_back(Eigen::MatrixXd::Zero(6, 2));
    for (Index j = 0; j < 2; ++j)
      x.back().block(3 * j, j, 3, 1) = Eigen::Map<const Eigen::VectorXd>(rows->row(i).values, 3);
  }
  const MatrixFeatures matrices(std::move(x));
  const RowFeatures features(rows, 2);
  const MulticlassLoss loss(2, labels, 0.2);
  for (const ProxKind kind : {ProxKind::kElasticNet, ProxKind::kQNorm}) {
    const ProxRegulariser g(kind, 6, 0.1);
    ProxSdca a(features, loss, g, 0.1, SdcaStep::kLineSearch, 1);
    ProxSdca b(matrices, loss, g, 0.1, SdcaStep::kLineSearch, 1);
    a.Run(40);
    b.Run(40);
    for (std::size_t k = 0; k < 6; ++k) {
      if (kind == ProxKind::kElasticNet) CHECK(Near(a.weights()[k], b.weights()[k], 1e-12));
    }
    CHECK(b.Newest().gap() >= -1e-12);
    CHECK(b.Newest().gap() < 0.5);
  }
  CHECK_THROWS_AS(
      ProxSdca(matrices, loss, ProxRegulariser(ProxKind::kL2, 6), 0.1, SdcaStep::kMaximise, 1),
      DataError);
}

TEST_CASE("outputs are the average or one of the iterates") {
  Random random(5);
  const MulticlassProblem problem = RandomMulticlassProblem(random, 5, 3, 3);
  const RowFeatures features(problem.rows, 3);
  const MulticlassLoss loss(3, problem.labels);
  const ProxRegulariser g(ProxKind::kElasticNet, features.dimension(), 0.3);
  ProxSdca sdca(features, loss, g, 0.05, SdcaStep::kLineSearch, 7);
  sdca.Run(11);
  CHECK_NOTHROW(sdca.AverageOutput());
  sdca.BeginOutput();
  CHECK_THROWS_AS(sdca.AverageOutput(), std::invalid_argument);
  CHECK_THROWS_AS(sdca.RandomOutput(), std::invalid_argument);
  std::vector<double> sum(sdca.alpha().size(), 0.0);
  std::vector<std::vector<double>> iterates;
  for (int t = 0; t < 37; ++t) {
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += sdca.alpha()[e];
    sdca.Run(1);
    iterates.emplace_back(sdca.alpha().begin(), sdca.alpha().end());
    const SdcaPoint drawn = sdca.RandomOutput();
    CHECK(std::find(iterates.begin(), iterates.end(), drawn.alpha) != iterates.end());
  }
  const SdcaPoint average = sdca.AverageOutput();
  for (std::size_t e = 0; e < sum.size(); ++e) CHECK(Near(average.alpha[e], sum[e] / 37, 1e-12));
  CHECK(average.gap() >= -1e-12);
  CHECK(sdca.RandomOutput().gap() >= -1e-12);
}

TEST_CASE("random outputs are uniform over the iterates") {
  // The iterates of six steps are all different: count how often each one is drawn.
  Random random(6);
  const auto rows = RandomRows(random, 3, 2, false);
  const RowFeatures features(rows, 1);
  const ScalarLoss loss(ScalarLossKind::kLogistic, {1, -1, 1});
  std::array<int, 6> drawn{};
  for (int seed = 0; seed < 1200; ++seed) {
    ProxSdca sdca(features, loss, ProxRegulariser(ProxKind::kL2, 2), 0.01, SdcaStep::kSmooth, seed);
    std::vector<std::vector<double>> iterates;
    for (int t = 0; t < 6; ++t) {
      sdca.Run(1);
      iterates.emplace_back(sdca.alpha().begin(), sdca.alpha().end());
    }
    const auto found = std::find(iterates.begin(), iterates.end(), sdca.RandomOutput().alpha);
    REQUIRE(found != iterates.end());
    ++drawn[found - iterates.begin()];
  }
  // 200 draws of each are expected, with standard deviation 13.
  for (const int count : drawn) {
    CHECK(count > 140);
    CHECK(count < 260);
  }
}

TEST_CASE("with a single example one step of option I reaches the optimum") {
  // A wrong factor of ‖X‖²/λn would stop before it, or beyond.
  Random random(61);
  const auto check = [&random](const SdcaLoss& loss) {
    for (const double lambda : {0.05, 5.0}) {
      const RowFeatures features(RandomRows(random, 1, 4, false), loss.outputs());
      const ProxRegulariser g(ProxKind::kL2, features.dimension());
      ProxSdca sdca(features, loss, g, lambda, SdcaStep::kMaximise, 1);
      CHECK(sdca.Newest().gap() > 0.01);
      sdca.Run(1);
      CHECK(sdca.Newest().gap() < kTight);
    }
  };
  for (const ScalarLossKind kind : {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge,
                                    ScalarLossKind::kSquared, ScalarLossKind::kLogistic})
    check(ScalarLoss(kind, {1}, 0.3));
  for (const double gamma : {0.0, 0.3}) check(MulticlassLoss(3, {1}, gamma));
}

TEST_CASE("options III and IV are exact where their bounds are") {
  // With scalar losses ‖X_i z‖² = ‖X_i‖² z², so that the step of option III is the best one along
  // its direction for the squared loss, that of option II; with inputs of one length so is that of
  // option IV. A wrong factor of the bound, of γ or of λn would give another step.
  Random random(6);
  const Index n = 20;
  for (const bool one_length : {false, true}) {
    auto rows = std::make_shared<FeatureRows>();
    std::vector<double> labels;
    for (Index i = 0; i < n; ++i) {
      std::vector<double> x = {random.Normal(), random.Normal(), random.Normal()};
      const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      for (double& value : x) value *= one_length ? 1.5 / norm : 1;
      rows->AddDense(x);
      labels.push_back(random.Normal());
    }
    const RowFeatures features(rows, 1);
    const ScalarLoss loss(ScalarLossKind::kSquared, labels);
    for (const double lambda : {0.5, 0.01}) {
      const ProxRegulariser g(ProxKind::kL2, 3);
      const auto run = [&](SdcaStep step) {
        ProxSdca sdca(features, loss, g, lambda, step, 4);
        sdca.Run(15);
        return sdca.Newest().dual;
      };
      const double best = run(SdcaStep::kLineSearch);
      CHECK(Near(run(SdcaStep::kMaximise), best, kExact));
      CHECK(Near(run(SdcaStep::kOwnBound), best, kExact));
      if (one_length) CHECK(Near(run(SdcaStep::kCommonBound), best, kExact));
      if (!one_length) CHECK(run(SdcaStep::kCommonBound) < best - kTight);
    }
  }
}

TEST_CASE("theorem one holds for smooth losses") {
  // E[P(w) − D(α)] ≤ ε after (n + R²/(λγ)) ln((n + R²/(λγ))/ε) steps, for every option.
  Random random(7);
  const Index n = 12;
  const MulticlassProblem problem = RandomMulticlassProblem(random, n, 3, 3);
  const RowFeatures features(problem.rows, 3);
  double gamma = 0.5;
  const MulticlassLoss loss(3, problem.labels, gamma);
  const double lambda = 0.5;
  double r2 = 0;
  for (Index i = 0; i < n; ++i) r2 = std::max(r2, features.SquaredBound(i, DualNorm::kEuclidean));
  const ProxRegulariser g(ProxKind::kElasticNet, features.dimension(), 0.1);
  for (const SdcaStep step : kAllSteps) {
    for (const double epsilon : {0.1, 1e-3}) {
      const double condition = n + r2 / (lambda * gamma);
      const auto steps = static_cast<Offset>(std::ceil(condition * std::log(condition / epsilon)));
      double gap = 0;
      for (int seed = 0; seed < 10; ++seed) {
        ProxSdca sdca(features, loss, g, lambda, step, seed);
        sdca.Run(steps);
        gap += sdca.Newest().gap() / 10;
      }
      CAPTURE(static_cast<int>(step));
      CHECK(gap <= epsilon);
    }
  }
}

TEST_CASE("iterations against n + R²/(λγ): within the theorem, and as many as a direct count") {
  // The squared loss with n equal inputs x, and labels that sum to 0. Then w* = 0 and α* = y. Let
  // e = α − y, A = Σ e, h = R²/(λγn), and s = 1/(1 + h) the fixed step of option V. A visit makes
  // of e_i (1 − s) e_i − s h A, since A moves w. So the mean of A² tends to s/(h (2 − s h)) Σ e²/n,
  // and the dual error then falls by (2s − s² − s³h/(2 − s h))/n = 2s/((1 + s) n) per step. The
  // theorem has s/n, 1/(n + R²/(λγ)) per step: its count is larger by the factor 2/(1 + s), between
  // 1 and 2.
  //
  // A step with half of R² has the same rate. But the first step of a run shows s: it raises the
  // dual by (2s' − s'²/s)/(2n) if it is s', which is s/(2n) for s alone.
  Random random(41);
  for (const Index n : {40, 160}) {
    auto rows = std::make_shared<FeatureRows>();
    std::vector<double> labels;
    for (Index i = 0; i < n; ++i) {
      rows->AddDense(std::vector<double>{1.5, -0.5});  // R² = 2.5
      labels.push_back(i % 2 == 0 ? 1.0 : -1.0);
    }
    const RowFeatures features(rows, 1);
    const ScalarLoss loss(ScalarLossKind::kSquared, labels);
    for (const double hardness : {0.05, 0.5, 2.0}) {  // R²/(λγ) over n
      const double lambda = 2.5 / (hardness * n);
      const double condition = n + 2.5 / lambda;
      const double s = n / condition;
      ProxSdca first(features, loss, ProxRegulariser(ProxKind::kL2, 2), lambda, SdcaStep::kSmooth,
                     0);
      first.Run(1);
      CHECK(std::abs(first.Newest().dual - s / (2 * n)) < 1e-12 * s / (2 * n));
      constexpr double kError = 1e-2;
      constexpr int kSeeds = 150;
      // The mean dual error of the runs, passes of n/10 steps apart.
      std::vector<ProxSdca> runs;
      for (int seed = 0; seed < kSeeds; ++seed) {
        runs.emplace_back(features, loss, ProxRegulariser(ProxKind::kL2, 2), lambda,
                          SdcaStep::kSmooth, seed);
      }
      const double optimum = 0.5;  // D* = (1/n) Σ y²/2
      double error = optimum, before = error;
      Offset steps = 0;
      while (error > kError * optimum) {
        before = error;
        error = 0;
        for (ProxSdca& run : runs) {
          run.Run(n / 10);
          error += (optimum - run.Newest().dual) / kSeeds;
        }
        steps += n / 10;
      }
      const double share = std::log(before / (kError * optimum)) / std::log(before / error);
      const double measured = static_cast<double>(steps - n / 10) + share * (n / 10.0);
      const double theory = condition * std::log(1 / kError);
      CAPTURE(n);
      CAPTURE(hardness);
      CHECK(measured <= theory * (1 + 1.0 / n));
      CHECK(std::abs(theory / measured - 2 / (1 + s)) < 0.02 * 2 / (1 + s));
    }
  }
}

TEST_CASE("theorem one, second part: the gap of outputs over the steps after T₀") {
  // E[P(w̄) − D(ᾱ)] ≤ (n + R²/(λγ))/(T − T₀) · E[D(α^T) − D(α^T₀)], from which the theorem follows
  // with E[D(α*) − D(α^T₀)] ≤ (T − T₀) ε/(n + R²/(λγ)), which T₀ ≥ (n + R²/(λγ)) ln((n + R²/(λγ))/
  // ((T − T₀) ε)) steps reach.
  Random random(10);
  const Index n = 8;
  const MulticlassProblem problem = RandomMulticlassProblem(random, n, 3, 3);
  // Inputs of one length: then Lemma 1 is an equation for step 5, and so is the sum over the steps.
  auto rows = std::make_shared<FeatureRows>();
  for (Index i = 0; i < n; ++i) {
    const FeatureRow x = problem.rows->row(i);
    std::vector<double> unit(x.values, x.values + 3);
    for (double& value : unit) value /= std::sqrt(x.squared_norm);
    rows->AddDense(unit);
  }
  const RowFeatures features(rows, 3);
  const double gamma = 0.5;
  const MulticlassLoss loss(3, problem.labels, gamma);
  const double lambda = 0.2;
  const ProxRegulariser g(ProxKind::kL2, features.dimension());
  const double condition = n + 1 / (lambda * gamma);
  const Offset length = 2 * Offset{n};
  constexpr int kRuns = 150;
  for (const SdcaStep step : kAllSteps) {
    for (const Offset t0 : {Offset{0}, Offset{12}}) {
      double average = 0, drawn = 0, iterates = 0, gain = 0;
      for (int seed = 1; seed <= kRuns; ++seed) {
        ProxSdca sdca(features, loss, g, lambda, step, seed);
        sdca.Run(t0);
        sdca.BeginOutput();
        gain -= sdca.Newest().dual / kRuns;
        for (Offset t = 0; t < length; ++t) {
          iterates += sdca.Newest().gap() / static_cast<double>(length) / kRuns;
          sdca.Run(1);
        }
        gain += sdca.Newest().dual / kRuns;
        average += sdca.AverageOutput().gap() / kRuns;
        drawn += sdca.RandomOutput().gap() / kRuns;
      }
      const double bound = condition / static_cast<double>(length) * gain;
      CAPTURE(static_cast<int>(step));
      CAPTURE(t0);
      CHECK(average <= bound);
      CHECK(drawn <= 1.1 * bound);
      CHECK(average <= iterates);
      CHECK(iterates <= 1.1 * bound);
      if (step == SdcaStep::kSmooth) CHECK(iterates >= 0.9 * bound);
    }
    for (const double epsilon : {0.05, 1e-3}) {
      const double steps =
          std::max(0.0, condition * std::log(condition / (static_cast<double>(length) * epsilon)));
      double average = 0;
      for (int seed = 1; seed <= 10; ++seed) {
        ProxSdca sdca(features, loss, g, lambda, step, seed);
        sdca.Run(static_cast<Offset>(std::ceil(steps)));
        sdca.BeginOutput();
        sdca.Run(length);
        average += sdca.AverageOutput().gap() / 10;
      }
      CHECK(average <= epsilon);
    }
  }
}

TEST_CASE("theorem two holds for Lipschitz losses") {
  // E[P(w̄) − D(ᾱ)] ≤ ε for both outputs over the steps after T₀.
  Random random(8);
  const Index n = 12;
  const MulticlassProblem problem = RandomMulticlassProblem(random, n, 3, 3);
  const RowFeatures features(problem.rows, 3);
  const MulticlassLoss loss(3, problem.labels);
  const double lambda = 1;
  double r2 = 0;
  for (Index i = 0; i < n; ++i) r2 = std::max(r2, features.SquaredBound(i, DualNorm::kEuclidean));
  const double rl2 = r2 * loss.lipschitz() * loss.lipschitz();
  const ProxRegulariser g(ProxKind::kElasticNet, features.dimension(), 0.02);
  const double epsilon = 0.1;
  const double t0 = std::max(0.0, std::ceil(n * std::log(0.5 * lambda * n / rl2))) +
                    16 * rl2 / (lambda * epsilon);
  const double total = t0 + n + 4 * rl2 / (lambda * epsilon);
  for (const SdcaStep step :
       {SdcaStep::kMaximise, SdcaStep::kLineSearch, SdcaStep::kOwnBound, SdcaStep::kCommonBound}) {
    double average = 0;
    double drawn = 0;
    for (int seed = 0; seed < 5; ++seed) {
      ProxSdca sdca(features, loss, g, lambda, step, seed);
      sdca.Run(static_cast<Offset>(t0));
      sdca.BeginOutput();
      sdca.Run(static_cast<Offset>(std::ceil(total - t0)));
      average += sdca.AverageOutput().gap() / 5;
      drawn += sdca.RandomOutput().gap() / 5;
    }
    CAPTURE(static_cast<int>(step));
    CHECK(average <= epsilon);
    CHECK(drawn <= epsilon);
  }
}

TEST_CASE("figures on unpleasant problems are finite") {
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::vector<double>{0, 0});
  rows->AddDense(std::vector<double>{1e8, -1e-8});
  rows->AddDense(std::vector<double>{1e8, -1e-8});
  const std::vector<double> signs = {1, -1, 1};
  for (const double lambda : {1e-12, 1e12}) {
    for (const SdcaStep step : kAllSteps) {
      for (const ScalarLossKind kind : {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge,
                                        ScalarLossKind::kSquared, ScalarLossKind::kLogistic}) {
        const RowFeatures features(rows, 1);
        const ScalarLoss loss(kind, signs, 1e-9);
        if (step == SdcaStep::kSmooth && loss.gamma() == 0) continue;
        ProxSdca sdca(features, loss, ProxRegulariser(ProxKind::kElasticNet, 2, 0.1), lambda, step,
                      1);
        sdca.Run(50);
        const SdcaPoint point = sdca.Newest();
        CHECK(std::isfinite(point.primal));
        CHECK(std::isfinite(point.dual));
        CHECK(point.dual <= point.primal + 1e-9 * std::max(1.0, point.primal));
      }
      const RowFeatures features(rows, 2);
      const MulticlassLoss loss(2, {0, 1, 0}, step == SdcaStep::kSmooth ? 0.1 : 0.0);
      ProxSdca sdca(features, loss, ProxRegulariser(ProxKind::kL2, 4), lambda, step, 1);
      sdca.Run(50);
      CHECK(std::isfinite(sdca.Newest().gap()));
    }
  }
}

TEST_CASE("arguments that do not fit are refused") {
  Random random(9);
  const auto rows = RandomRows(random, 4, 3, false);
  const RowFeatures one(rows, 1), three(rows, 3);
  const ScalarLoss hinge(ScalarLossKind::kHinge, {1, 1, -1, 1});
  const ProxRegulariser g(ProxKind::kL2, 3);
  CHECK_THROWS_AS(ProxSdca(one, hinge, g, 0.1, SdcaStep::kSmooth, 1), DataError);
  CHECK_THROWS_AS(ProxSdca(one, hinge, g, 0, SdcaStep::kLineSearch, 1), std::invalid_argument);
  CHECK_THROWS_AS(
      ProxSdca(three, hinge, ProxRegulariser(ProxKind::kL2, 9), 0.1, SdcaStep::kLineSearch, 1),
      std::invalid_argument);
  CHECK_THROWS_AS(
      ProxSdca(one, hinge, ProxRegulariser(ProxKind::kL2, 4), 0.1, SdcaStep::kLineSearch, 1),
      std::invalid_argument);
  const MulticlassLoss classes(3, {0, 1, 2, 0});
  CHECK_THROWS_AS(
      ProxSdca(three, classes, ProxRegulariser(ProxKind::kQNorm, 9), 0.1, SdcaStep::kMaximise, 1),
      DataError);
}
