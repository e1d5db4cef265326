// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/marginals/extragradient.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <slackline/learning/marginals/marginal_learner.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {
namespace {

constexpr int kBetaTrials = 100;     // most values of β in one pass
constexpr double kBetaGrowth = 1.1;  // factor of β after a step
constexpr double kPotentialRounding =
    1e-13;  // relative rounding error of the terms of the potential

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
        next_(problem),
        mean_(problem) {
    SetKappa();
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
    mean_.Weights(problem_, &psi);
    return Certify(mean_w_, mean_, psi, mean_.MeanLoss(), threads);
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("extragradient");
    ArchiveCommon(archive);
    archive->Flag(&started_);
    archive->NonNegativeReal(&loss_scale_);
    for (auto* w : {&sum_, &v_w_, &mean_w_}) archive->FiniteReals(*w);
    v_.weights.resize(sum_.size());
    if (started_) archive->FiniteReals(v_.weights);
    archive->FiniteReal(&v_.log_partition);
    archive->FiniteReal(&v_.terms);
    mean_.Archive(archive);
    archive->NonNegativeReal(&weight_sum_);
    archive->PositiveReal(&step_);
  }

  /// Restarts at w₀ = Ψα of the mean α, but at uniform distributions. The last softmaxes are so
  /// cold that the steps back to warmer ones would take longer.
  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    SetKappa();
    std::vector<double> psi;
    mean_.Weights(problem_, &psi);
    const double share = BestShare(mean_.MeanLoss(), Regulariser(problem_.lambda(), psi));
    for (std::size_t k = 0; k < psi.size(); ++k) v_w_[k] = mean_w_[k] = share * psi[k];
    std::fill(sum_.begin(), sum_.end(), 0.0);
    loss_scale_ = 0;
    step_ = 1;
    mean_.Mix(1 - share, DualPoints(problem_));
    weight_sum_ = 0;  // the first step replaces the means
    started_ = false;
  }

 private:
  const DualPoints& NewestPoints() const override { return mean_; }

  void SetKappa() {
    const double at_zero = PrimalAtZeroWeights(problem_);
    const double ratio = at_zero > 0 ? mean_log_labellings() / at_zero : 1.0;
    kappa_ = problem_.lambda() * std::max(1.0, ratio);
  }

  /// Makes a step of length step_ unless it violates the inequality from which the convergence rate
  /// follows: with the potential V(s) = max_z s·z − d(z), which is κ/2 ‖v_w‖² + mean log-partition
  /// at (c, W) + const,
  ///   V(s − β F(u)) ≤ V(s) − β F(u)·u,    F(u)·u = λ ‖u_w‖² − (1/M) Σ Δ_m·α_um.
  /// The inequality holds for every β below 1 / (the Lipschitz constant of F).
  Outcome MakeStep(const StopControl& stop) {
    const double pull = step_ * problem_.lambda() / kappa_;
    const std::size_t size = sum_.size();
    u_w_.resize(size);
    moved_.resize(size);
    for (std::size_t k = 0; k < size; ++k) {
      u_w_[k] = v_w_[k] - pull * (v_w_[k] - v_.weights[k]);
      moved_[k] = sum_[k] + step_ * v_w_[k];
    }
    if (!Sweep(moved_, loss_scale_ + step_, 1, stop, &u_)) return Outcome::kCut;
    next_w_.resize(size);
    for (std::size_t k = 0; k < size; ++k) {
      next_w_[k] = v_w_[k] - pull * (u_w_[k] - u_.weights[k]);
      moved_[k] = sum_[k] + step_ * u_w_[k];
    }
    if (!Sweep(moved_, loss_scale_ + step_, 1, stop, &next_)) return Outcome::kCut;
    const double before = 0.5 * kappa_ * SquaredNorm(v_w_);
    const double after = 0.5 * kappa_ * SquaredNorm(next_w_);
    const double norm = problem_.lambda() * SquaredNorm(u_w_);
    const double rounding =
        kPotentialRounding * (before + after + v_.terms + next_.terms + step_ * (norm + u_.loss));
    const double rise = after + next_.log_partition - before - v_.log_partition;
    if (!(rise <= step_ * (u_.loss - norm) + rounding)) return Outcome::kBroken;
    TakeStep();
    return Outcome::kGood;
  }

  void TakeStep() {
    loss_scale_ += step_;
    std::swap(sum_, moved_);
    std::swap(v_w_, next_w_);
    std::swap(v_, next_);
    const double weight = step_ * loss_scale_;
    weight_sum_ += weight;
    const double share = weight / weight_sum_;
    mean_.Mix(share, u_.points);
    for (std::size_t k = 0; k < u_w_.size(); ++k) mean_w_[k] += share * (u_w_[k] - mean_w_[k]);
  }

  double kappa_ = 1;
  bool started_ = false;
  double loss_scale_ = 0;
  std::vector<double> sum_;
  std::vector<double> v_w_, mean_w_;
  SweepResult v_, u_, next_;
  DualPoints mean_;
  double weight_sum_ = 0;
  double step_ = 1;
  std::vector<double> u_w_, next_w_, moved_;
};

}  // namespace

std::unique_ptr<Learner> MakeExtragradientLearner(const Problem& problem,
                                                  const TrainOptions& options) {
  return std::make_unique<ExtragradientLearner>(problem, options);
}

namespace {

constexpr LearnerVariant kExtragradientVariants[] = {{.needs = kNeedsMarginals}};

}  // namespace

constinit const LearnerRecord kExtragradientLearner = {
    .name = "extragradient",
    .summary = "dual extragradient on the saddle-point form",
    .section = "Methods with marginals: `eg`, `excessive-gap`, `extragradient`",
    .make = MakeExtragradientLearner,
    .variants = kExtragradientVariants,
    .own_steps = "takes extragradient steps only",
    .own_order = "takes all examples at once"};

}  // namespace slackline::internal
