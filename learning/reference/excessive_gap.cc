// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `excessive-gap`: Nesterov's excessive gap technique with entropy as the prox-function.
//
// Sources: Nesterov, "Excessive gap technique in nonsmooth convex minimization", SIAM J. Optim. 16
// (2005), for strongly convex objectives; Zhang, Saha, Vishwanathan, "Accelerated training of
// max-margin Markov networks with kernels", ALT 2011 (a row of Table 1 of Lacoste-Julien and
// others, ICML 2013). The derivation for the objective of this project is in docs/notation.md,
// section 11. Axes: blocks = all examples at once · oracle = sum-product · step = accelerated.
//
// With the relative entropy to the uniform distribution D(α) = (1/M) Σ_m Σ_y α log(α |Y_m|) and a
// temperature μ,
//   P_μ(w) = λ/2 ‖w‖² + max_α [(1/M) Σ_m H_m(α_m; w) − μ D(α)] ≤ P(w) ≤ P_μ(w) + μ mean log |Y_m|,
// and the iterates satisfy the excessive gap condition P_μ(w) ≤ f(α), so that the certified gap is
// at most μ mean log |Y_m|. An iteration, with β the maximiser in P_μ(w), a softmax at w and μ:
//   (1) α̂ = (1−τ) α + τ β      (2) w⁺ = (1−τ) w + τ Ψα̂      (3) μ⁺ = (1−τ) μ
//   (4) α⁺ = (1−τ) α + τ β⁺, where β⁺ is the softmax at w⁺ and μ⁺, from one call of sum-product for
//       every example.
//
//   symbol        here                      shape
//   w             w_                        num_weights
//   α, Ψα         points_, alpha_weights_   dual_points.h, num_weights
//   β, Ψβ         beta_                     the same
//   μ             temperature_
//   L             curvature_                τ² = (1−τ) μ/L
//
// The condition always holds if L is at least R² / λ, a bound on the curvature of f in the norm of
// D. Because this bound is pessimistic by orders of magnitude, L is found by trial: an iteration
// that violates the condition is repeated with 2 L, and after every other iteration L falls by 10
// %. (The convergence proof needs no more than the condition, whose terms every iteration
// computes.) Start: w = Ψβ for uniform β, and the smallest μ (of a doubling sequence) with P_μ(w) ≤
// f(α), α the softmax at w and μ. Cost of a trial: M calls of sum-product, two sweeps over the
// inputs. Memory: three dual points per example.
#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/learning/reference/marginal_learner.h>
#include <slackline/learning/reference/reference_learners.h>

namespace slackline::internal {
namespace {

constexpr int kTrials = 60;         // most values of L in one pass, or of μ at the start
constexpr double kFall = 0.9;       // factor of L after an iteration
constexpr double kLongest = 0.9;    // largest τ; without curvature it would be 1
constexpr double kCoolest = 1e-14;  // smallest μ / P(0); rounding hides smaller gaps
/// Relative rounding error of the sums that are compared.
constexpr double kExcessiveGapRounding = 1e-13;

class ExcessiveGapLearner : public MarginalLearner {
 public:
  ExcessiveGapLearner(const Problem& problem, const TrainOptions& options)
      : MarginalLearner(problem, options),
        scale_(std::max(PrimalAtZeroWeights(problem), 1e-30)),
        w_(problem.num_weights(), 0.0),
        alpha_weights_(w_),
        beta_(problem),
        next_(problem) {}

  void RunPass(const StopControl& stop) override {
    if (!started_) return Start(stop);
    if (StepByTrials(
            kTrials, [&] { return Iterate(stop); }, [&] { curvature_ *= 2; }))
      curvature_ *= kFall;
  }

  Evaluation Evaluate(int threads) override {
    return CertifyPoints(w_, alpha_weights_, alpha_loss_, threads);
  }

 private:
  /// Whether P_μ(w) ≤ f(α), up to rounding. `at`: the sweep at w and μ = temperature; dual: f(α).
  bool Holds(std::span<const double> w, double temperature, const SweepResult& at,
             double dual) const {
    const double smoothed =
        Regulariser(problem_.lambda(), w) + at.log_partition - temperature * mean_log_labellings();
    return smoothed <= dual + kExcessiveGapRounding * (scale_ + at.terms);
  }

  void Start(const StopControl& stop) {
    const std::vector<double> zero(w_.size(), 0.0);
    if (!Sweep(zero, 0, 1, stop, &next_)) return;
    // λ/2 ‖Ψβ‖² is the change of f's regulariser between β and the ground truth.
    const double norm = Regulariser(problem_.lambda(), next_.weights);
    const std::vector<double> start = next_.weights;
    double temperature = std::max(0.5 * norm / std::max(1.0, mean_log_labellings()), 1e-3 * scale_);
    for (int trial = 0; trial < kTrials; ++trial, temperature *= 2) {
      if (!Sweep(start, 1, temperature, stop, &next_)) return;
      const double dual = next_.loss - Regulariser(problem_.lambda(), next_.weights);
      if (!Holds(start, temperature, next_, dual)) continue;
      points_ = next_.points;
      alpha_weights_ = next_.weights;
      alpha_loss_ = next_.loss;
      w_ = start;
      std::swap(beta_, next_);
      temperature_ = curvature_ = temperature;
      started_ = true;
      block_steps_ += problem_.size();
      return;
    }
  }

  Outcome Iterate(const StopControl& stop) {
    const double ratio = temperature_ / curvature_;
    const double tau = std::min(kLongest, 2 / (1 + std::sqrt(1 + 4 / ratio)));
    const double cooler = std::max((1 - tau) * temperature_, kCoolest * scale_);  // (3)
    std::vector<double> moved(w_.size()), mixed(w_.size());
    for (std::size_t k = 0; k < w_.size(); ++k) {
      mixed[k] = (1 - tau) * alpha_weights_[k] + tau * beta_.weights[k];  // (1)
      moved[k] = (1 - tau) * w_[k] + tau * mixed[k];                      // (2)
    }
    if (!Sweep(moved, 1, cooler, stop, &next_)) return Outcome::kCut;
    double norm = 0;
    for (std::size_t k = 0; k < w_.size(); ++k) {
      mixed[k] = (1 - tau) * alpha_weights_[k] + tau * next_.weights[k];
      norm += mixed[k] * mixed[k];
    }
    const double loss = (1 - tau) * alpha_loss_ + tau * next_.loss;
    if (!Holds(moved, cooler, next_, loss - 0.5 * problem_.lambda() * norm))
      return Outcome::kBroken;
    w_ = std::move(moved);
    std::swap(beta_, next_);
    points_.Mix(tau, beta_.points);  // (4)
    alpha_weights_ = std::move(mixed);
    alpha_loss_ = loss;
    temperature_ = cooler;
    return Outcome::kGood;
  }

  double scale_;  // P(0)
  bool started_ = false;
  std::vector<double> w_;
  std::vector<double> alpha_weights_;
  double alpha_loss_ = 0;
  SweepResult beta_, next_;
  double temperature_ = 1;
  double curvature_ = 1;
};

}  // namespace

constinit const LearnerRecord kExcessiveGapLearner = {
    .name = "excessive-gap",
    .summary = "Nesterov's excessive gap technique",
    .section = kMarginalSection,
    .make = MakeReference<ExcessiveGapLearner>,
    .variants = kMarginalVariants,
    .own_steps = "takes steps of the excessive gap method only",
    .own_order = "takes all examples at once",
    .keeps_state = false};

}  // namespace slackline::internal
