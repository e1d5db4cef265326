// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `eg`: online exponentiated gradient on the dual.
//
// Source: Collins, Globerson, Koo, Carreras, Bartlett, "Exponentiated gradient algorithms for
// conditional random fields and max-margin Markov networks", JMLR 9 (2008), the max-margin form;
// step sizes as in Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, appendix F. Axes: blocks =
// examples · oracle = sum-product (expectations) · step = multiplicative · order = a fresh
// permutation each pass, or drawn with replacement.
//
//   α_m(y) ← α_m(y) exp(η_m H_m(y; w)) / Z,      H_m(y; w) = Δ_m(y) − w·ψ_m(y) = M ∂f/∂α_m(y)
//
// so that log α_m(y) = c_m Δ_m(y) + v_m·q(y) + const, where c_m is the sum of all η_m, and v_m the
// sum of all η_m times the coordinate scores at w.
//
//   symbol        here               shape
//   w             weights_           num_weights
//   α_m           log_potentials_    c_m: one number per example; v_m: num_coordinates of its
//                                    structure. Start: 0, the uniform distribution
//                                    (docs/notation.md starts other learners at the ground truth)
//   ψ_m(α_m), ℓ_m points_            dual_points.h
//   η_m           steps_             one per example; at first min(0.5, λM / ‖ψ_m(α_m)‖²)
//
// Deviations. The sources always start with η_m = 0.5. Where features are long, the first steps are
// then so long that the distributions become corners, from which multiplicative steps take hundreds
// of passes to return (docs/notebook/learners.md). λM / ‖ψ‖² is the scale of steps that fits the
// curvature of f. If all trials of a step fail, no step is made (the sources leave this case open),
// so that f never falls. The objective of the sources is M times f, which H_m above takes into
// account. Cost of a trial: score tables, sum-product (counted as an oracle call), one sweep for
// the norm of the step. An accepted step costs one more sweep to update w.
#include <algorithm>
#include <memory>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/reference/marginal_learner.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

constexpr Index kPassesPerMarginalRebuild = 64;
constexpr double kFirstStep = 0.5;
constexpr double kStepGrowth = 1.05;
constexpr int kHalvingsOfFirstPass = 2;
constexpr int kHalvings = 5;
// Bounds on η_m, which grows without end where an example's distribution has become a corner.
constexpr double kSmallestStep = 1e-100;
constexpr double kLargestStep = 1e9;

class ExponentiatedGradientLearner : public MarginalLearner {
 public:
  ExponentiatedGradientLearner(const Problem& problem, const TrainOptions& options)
      : MarginalLearner(problem, options),
        visits_(options, problem.data()),
        log_potentials_(problem),
        steps_(problem.size(), kFirstStep) {
    for (Index m = 0; m < problem.size(); ++m) {
      const Expectation expectation = marginals_.Expect(m, 0, log_potentials_.coordinates(m), 1);
      points_.Set(m, expectation.coordinates, expectation.loss);
      ++oracle_calls_;
      const double norm = gram_.SquaredNorm(problem.data().example(m), points_.coordinates(m));
      if (norm > 0)
        steps_[m] = std::max(kSmallestStep, std::min(kFirstStep, problem.lambda_m() / norm));
    }
    points_.Weights(problem_, &weights_);
  }

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) { Visit(m); });
    if (++pass_ % kPassesPerMarginalRebuild == 0) points_.Weights(problem_, &weights_);
  }

  /// Evaluates at the weights of the mixture of μ and the ground truth with the best dual value. In
  /// the first passes, and at small λ, Ψμ itself is far too long.
  Evaluation Evaluate(int threads) override {
    std::vector<double> psi;
    points_.Weights(problem_, &psi);
    const double loss = points_.MeanLoss();
    const double share = BestShare(loss, Regulariser(problem_.lambda(), psi));
    std::vector<double> w = psi;
    for (double& value : w) value *= share;
    return CertifyPoints(std::move(w), psi, loss, threads);
  }

 private:
  /// Appendix F: a step is tried with η_m, which is halved until f does not fall, at most 2 times
  /// in the first pass and 5 times later; then η_m is multiplied by 1.05.
  void Visit(Index m) {
    const ExampleView example = problem_.data().example(m);
    std::vector<double> u(log_potentials_.coordinates(m).size());
    CoordinateScores(example, weights_, u);
    double& step = steps_[m];
    ++block_steps_;
    for (int halvings = pass_ == 0 ? kHalvingsOfFirstPass : kHalvings;; --halvings) {
      if (TryStep(m, step, u) || halvings == 0) break;
      step /= 2;
    }
    step = std::clamp(kStepGrowth * step, kSmallestStep, kLargestStep);
  }

  /// Makes a step of this length unless f falls; returns whether it did. u: the coordinate scores
  /// at w.
  bool TryStep(Index m, double step, std::span<const double> u) {
    const ExampleView example = problem_.data().example(m);
    const std::span<const double> potentials = log_potentials_.coordinates(m);
    const double loss_scale = log_potentials_.loss(m) + step;
    std::vector<double> moved(potentials.begin(), potentials.end());
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += step * u[k];
    const Expectation expectation = marginals_.Expect(m, loss_scale, moved, 1);
    ++oracle_calls_;
    std::vector<double> direction;
    points_.Towards(m, expectation.coordinates, &direction);
    double gain = expectation.loss - points_.loss(m);  // increase of M f
    for (std::size_t k = 0; k < direction.size(); ++k) gain -= u[k] * direction[k];
    gain -= gram_.SquaredNorm(example, direction) / (2 * problem_.lambda_m());
    if (!(gain >= 0)) return false;
    log_potentials_.Set(m, moved, loss_scale);
    points_.Set(m, expectation.coordinates, expectation.loss);
    ScatterFeatures(example, direction, 1 / problem_.lambda_m(), weights_);
    return true;
  }

  ExampleVisits visits_;
  std::vector<double> weights_;
  // v_m as coordinates and c_m as loss; not a dual point, but of the same shape.
  DualPoints log_potentials_;
  std::vector<double> steps_;
  Index pass_ = 0;
  FeatureGram gram_;
};

}  // namespace

constinit const LearnerRecord kExponentiatedGradientLearner = {
    .name = "eg",
    .summary = "online exponentiated gradient on the dual",
    .section = kMarginalSection,
    .make = MakeReference<ExponentiatedGradientLearner>,
    .variants = kMarginalVariants,
    .own_steps = "takes exponentiated gradient steps only",
    .keeps_state = false};

}  // namespace slackline::internal
