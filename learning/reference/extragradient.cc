// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `extragradient`: dual extragradient on the saddle-point form of the objective.
//
// Sources: Taskar, Lacoste-Julien, Jordan, "Structured prediction, dual extragradient and Bregman
// projections", JMLR 7 (2006); Nesterov, "Dual extrapolation and its applications to solving
// variational inequalities and related problems", Math. Program. 109 (2007). A row of Table 1 of
// Lacoste-Julien and others, ICML 2013. The derivation for the objective of this project is in
// docs/notation.md, section 11. Axes: blocks = all examples at once, weights as well · oracle =
// sum-product · step = extragradient.
//
//   min_w max_α  λ/2 ‖w‖² + (1/M) Σ_m H_m(α_m; w),   F(w, α) = (λ (w − Ψα), −H_m(·; w)/M)
//
// The paper bounds ‖w‖ where this objective has λ, and offers two projections: a Euclidean
// projection on marginals (a min-cost quadratic flow for matchings and graph cuts) and a Bregman
// projection. Here the Bregman projection by entropy is used: on forests it is sum-product, exact
// for any number of states and any order of factors, while the Euclidean projection would be a
// quadratic program for every example. With d(w, α) = κ/2 ‖w − w₀‖² + D(α), D the relative entropy
// to the uniform distribution, and s the sum of all −β F(u):
//   (1) v = argmax s·z − d(z)    (2) u = the prox step from v by −β F(v)    (3) s ← s − β F(u)
//   (4) the result is a weighted mean of all u.
// Since H_m(·; w) is affine in w, every α is a softmax at scores c Δ_m − W·ψ_m, so that s needs one
// number and one vector of weights for all examples together (the "memory-efficient" form of
// section 5 of the paper).
//
//   symbol        here               shape
//   s             loss_scale_, sum_  c and W of v's α: a number, num_weights
//   v_w           v_w_               num_weights;  u_w = v_w − (βλ/κ)(v_w − Ψα_v),
//                                    v_w ← v_w − (βλ/κ)(u_w − Ψα_u)
//   α_v, α_u      v_, u_             dual_points.h, num_weights
//   mean of u     mean_w_, points_   num_weights, dual_points.h; with weights β c, so that early
//                                    iterates count less: on small problems this takes a tenth of
//                                    the passes of the sources' weights β, but only for these is
//                                    the rate O(1/k) proved
//   β             step_              halved until the step satisfies the inequality of its analysis
//                                    (MakeStep), then × 1.1
//   κ             kappa_             λ max(1, mean log |Y_m| / P(0)), so that both parts of d are
//                                    of the same size at the optimum
//
// Cost of a trial: 2 M calls of sum-product, four sweeps over the inputs. Memory: four dual points
// per example.
#include <algorithm>
#include <numeric>
#include <utility>

#include <slackline/learning/reference/marginal_learner.h>
#include <slackline/learning/reference/reference_learners.h>

namespace slackline::internal {
namespace {

constexpr int kBetaTrials = 100;     // most values of β in one pass
constexpr double kBetaGrowth = 1.1;  // factor of β after a step
/// Relative rounding error of the terms of the potential.
constexpr double kPotentialRounding = 1e-13;

double SquaredNorm(std::span<const double> w) {
  return std::inner_product(w.begin(), w.end(), w.begin(), 0.0);
}

class ExtragradientLearner : public MarginalLearner {
 public:
  ExtragradientLearner(const Problem& problem, const TrainOptions& options)
      : MarginalLearner(problem, options),
        sum_(problem.num_weights(), 0.0),
        v_w_(sum_),
        mean_w_(sum_),
        v_(problem),
        u_(problem),
        next_(problem) {
    const double at_zero = PrimalAtZeroWeights(problem);
    const double ratio = at_zero > 0 ? mean_log_labellings() / at_zero : 1.0;
    kappa_ = problem.lambda() * std::max(1.0, ratio);
  }

  void RunPass(const StopControl& stop) override {
    if (!started_) {
      if (!Sweep(sum_, loss_scale_, 1, stop, &v_)) return;
      started_ = true;
    }
    if (StepByTrials(
            kBetaTrials, [&] { return MakeStep(stop); }, [&] { step_ /= 2; }))
      step_ *= kBetaGrowth;
  }

  Evaluation Evaluate(int threads) override {
    std::vector<double> psi;
    points_.Weights(problem_, &psi);
    return CertifyPoints(mean_w_, psi, points_.MeanLoss(), threads);
  }

 private:
  /// Makes a step of length step_ unless it violates the inequality from which the convergence rate
  /// follows: with the potential V(s) = max_z s·z − d(z), which is κ/2 ‖v_w‖² + mean log-partition
  /// at (c, W) + const,
  ///   V(s − β F(u)) ≤ V(s) − β F(u)·u,    F(u)·u = λ ‖u_w‖² − (1/M) Σ Δ_m·α_um.
  /// The inequality holds for every β below 1 / (the Lipschitz constant of F).
  Outcome MakeStep(const StopControl& stop) {
    const double pull = step_ * problem_.lambda() / kappa_;
    const std::size_t size = sum_.size();
    std::vector<double> u_w(size), next_w(size), moved(size);
    for (std::size_t k = 0; k < size; ++k) {  // (2)
      u_w[k] = v_w_[k] - pull * (v_w_[k] - v_.weights[k]);
      moved[k] = sum_[k] + step_ * v_w_[k];
    }
    if (!Sweep(moved, loss_scale_ + step_, 1, stop, &u_)) return Outcome::kCut;
    for (std::size_t k = 0; k < size; ++k) {  // (3), and (1) of the next step
      next_w[k] = v_w_[k] - pull * (u_w[k] - u_.weights[k]);
      moved[k] = sum_[k] + step_ * u_w[k];
    }
    if (!Sweep(moved, loss_scale_ + step_, 1, stop, &next_)) return Outcome::kCut;
    const double before = 0.5 * kappa_ * SquaredNorm(v_w_);
    const double after = 0.5 * kappa_ * SquaredNorm(next_w);
    const double norm = problem_.lambda() * SquaredNorm(u_w);
    const double rounding =
        kPotentialRounding * (before + after + v_.terms + next_.terms + step_ * (norm + u_.loss));
    const double rise = after + next_.log_partition - before - v_.log_partition;
    if (!(rise <= step_ * (u_.loss - norm) + rounding)) return Outcome::kBroken;
    loss_scale_ += step_;
    sum_ = std::move(moved);
    v_w_ = std::move(next_w);
    std::swap(v_, next_);
    AddToMean(u_w);
    return Outcome::kGood;
  }

  /// (4) with u = (u_w, u_.points).
  void AddToMean(std::span<const double> u_w) {
    const double weight = step_ * loss_scale_;
    weight_sum_ += weight;
    const double share = weight / weight_sum_;
    points_.Mix(share, u_.points);
    for (std::size_t k = 0; k < u_w.size(); ++k) mean_w_[k] += share * (u_w[k] - mean_w_[k]);
  }

  double kappa_ = 1;
  bool started_ = false;
  double loss_scale_ = 0;
  std::vector<double> sum_;
  std::vector<double> v_w_, mean_w_;
  SweepResult v_, u_, next_;
  double weight_sum_ = 0;
  double step_ = 1;
};

}  // namespace

constinit const LearnerRecord kExtragradientLearner = {
    .name = "extragradient",
    .summary = "dual extragradient on the saddle-point form",
    .section = kMarginalSection,
    .make = MakeReference<ExtragradientLearner>,
    .variants = kMarginalVariants,
    .own_steps = "takes extragradient steps only",
    .own_order = "takes all examples at once",
    .keeps_state = false};

}  // namespace slackline::internal
