// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/marginals/excessive_gap.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/learning/marginals/marginal_learner.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {
namespace {

constexpr int kTrials = 60;         // most values of L in one pass, or of μ at a cold start
constexpr int kWarmTrials = 7;      // most values of μ at a warm start
constexpr double kFall = 0.9;       // factor of L after an iteration
constexpr double kLongest = 0.9;    // largest τ; without curvature it would be 1
constexpr double kCoolest = 1e-14;  // smallest μ / P(0); rounding hides smaller gaps
constexpr double kExcessiveGapRounding =
    1e-13;  // relative rounding error of the sums that are compared

class ExcessiveGapLearner : public MarginalLearner {
 public:
  ExcessiveGapLearner(const Problem& problem, const TrainOptions& options)
      : MarginalLearner(problem, options),
        scale_(std::max(PrimalAtZeroWeights(problem), 1e-30)),
        w_(problem.num_weights(), 0.0),
        alpha_(problem),
        beta_(problem),
        next_(problem) {
    alpha_.weights = w_;
  }

  void RunPass(const StopControl& stop) override {
    if (!started_) return Start(stop);
    if (StepByTrials(
            kTrials, [&] { return Iterate(stop); }, [&] { curvature_ *= 2; }))
      curvature_ *= kFall;
  }

  Evaluation Evaluate(int threads) override {
    return Certify(w_, alpha_.points, alpha_.weights, alpha_.loss, threads);
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("excessive gap");
    ArchiveCommon(archive);
    archive->Flag(&started_);
    archive->Flag(&warm_);
    archive->FiniteReals(w_);
    for (SweepResult* point : {&alpha_, &beta_}) {
      point->points.Archive(archive);
      point->weights.resize(w_.size());
      archive->FiniteReals(point->weights);
      archive->FiniteReal(&point->loss);
    }
    archive->PositiveReal(&temperature_);
    archive->PositiveReal(&curvature_);
  }

  /// Restarts at w = Ψα. There a small μ suffices, because P_μ ≤ f(α) holds as soon as μ log |Y| is
  /// about the gap.
  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    alpha_.points.Weights(problem_, &alpha_.weights);
    const double share = BestShare(alpha_.loss, Regulariser(problem_.lambda(), alpha_.weights));
    alpha_.points.Mix(1 - share, DualPoints(problem_));
    alpha_.points.Weights(problem_, &alpha_.weights);
    alpha_.loss = alpha_.points.MeanLoss();
    warm_ = started_;
    started_ = false;
  }

 private:
  const DualPoints& NewestPoints() const override { return alpha_.points; }

  double Value(const SweepResult& point) const {
    return point.loss - Regulariser(problem_.lambda(), point.weights);
  }
  /// Whether P_μ(w) ≤ f(α), up to rounding. `at`: the sweep at w and μ = temperature; dual: f(α).
  bool Holds(std::span<const double> w, double temperature, const SweepResult& at,
             double dual) const {
    const double smoothed =
        Regulariser(problem_.lambda(), w) + at.log_partition - temperature * mean_log_labellings();
    return smoothed <= dual + kExcessiveGapRounding * (scale_ + at.terms);
  }

  void Start(const StopControl& stop) {
    if (warm_ && StartWarm(stop)) return;
    const std::vector<double> zero(w_.size(), 0.0);
    if (!Sweep(zero, 0, 1, stop, &next_)) return;
    // λ/2 ‖Ψβ‖² is the change of f's regulariser between β and the ground truth.
    const double norm = Regulariser(problem_.lambda(), next_.weights);
    const std::vector<double> start = next_.weights;
    const double first = std::max(0.5 * norm / std::max(1.0, mean_log_labellings()), 1e-3 * scale_);
    FindTemperature(start, first, kTrials, stop);
  }

  /// Starts at w = Ψα. Since P − P_μ is at most μ mean log |Y_m|, μ is at least the gap divided by
  /// mean log |Y_m|. Returns false if no μ close to that fulfils the condition.
  bool StartWarm(const StopControl& stop) {
    if (!Sweep(alpha_.weights, 1, kCoolest * scale_, stop, &next_)) return false;
    const double gap =
        Regulariser(problem_.lambda(), alpha_.weights) + next_.log_partition - Value(alpha_);
    const double first = std::max(gap / std::max(1e-3, mean_log_labellings()), kCoolest * scale_);
    const std::vector<double> start = alpha_.weights;
    return FindTemperature(start, first, kWarmTrials, stop);
  }

  /// Sets μ to the smallest of the temperatures first, 2 first, 4 first, … that fulfils the
  /// condition at w. α is kept (warm start) or becomes the softmax at w. Returns false when none of
  /// `trials` temperatures does, or when `stop` cut the search short.
  bool FindTemperature(const std::vector<double>& w, double first, int trials,
                       const StopControl& stop) {
    const bool warm = trials == kWarmTrials;
    double temperature = first;
    for (int trial = 0; trial < trials; ++trial, temperature *= 2) {
      if (!Sweep(w, 1, temperature, stop, &next_)) return false;
      if (!Holds(w, temperature, next_, Value(warm ? alpha_ : next_))) continue;
      if (!warm) alpha_ = next_;
      w_ = w;
      std::swap(beta_, next_);
      temperature_ = curvature_ = temperature;
      started_ = true;
      block_steps_ += problem_.size();
      return true;
    }
    return false;
  }

  Outcome Iterate(const StopControl& stop) {
    const double ratio = temperature_ / curvature_;
    const double tau = std::min(kLongest, 2 / (1 + std::sqrt(1 + 4 / ratio)));
    const double cooler = std::max((1 - tau) * temperature_, kCoolest * scale_);
    moved_.resize(w_.size());
    for (std::size_t k = 0; k < w_.size(); ++k) {
      const double mixed = (1 - tau) * alpha_.weights[k] + tau * beta_.weights[k];
      moved_[k] = (1 - tau) * w_[k] + tau * mixed;
    }
    if (!Sweep(moved_, 1, cooler, stop, &next_)) return Outcome::kCut;
    double norm = 0;
    for (std::size_t k = 0; k < w_.size(); ++k) {
      const double mixed = (1 - tau) * alpha_.weights[k] + tau * next_.weights[k];
      norm += mixed * mixed;
    }
    const double loss = (1 - tau) * alpha_.loss + tau * next_.loss;
    if (!Holds(moved_, cooler, next_, loss - 0.5 * problem_.lambda() * norm))
      return Outcome::kBroken;
    std::swap(w_, moved_);
    std::swap(beta_, next_);
    alpha_.points.Mix(tau, beta_.points);
    for (std::size_t k = 0; k < w_.size(); ++k) {
      alpha_.weights[k] = (1 - tau) * alpha_.weights[k] + tau * beta_.weights[k];
    }
    alpha_.loss = loss;
    temperature_ = cooler;
    return Outcome::kGood;
  }

  double scale_;  // P(0)
  bool started_ = false;
  bool warm_ = false;  // α comes from another λ
  std::vector<double> w_;
  SweepResult alpha_, beta_;
  SweepResult next_;
  double temperature_ = 1;
  double curvature_ = 1;
  std::vector<double> moved_;
};

}  // namespace

std::unique_ptr<Learner> MakeExcessiveGapLearner(const Problem& problem,
                                                 const TrainOptions& options) {
  return std::make_unique<ExcessiveGapLearner>(problem, options);
}

namespace {

constexpr LearnerVariant kExcessiveGapVariants[] = {{.needs = kNeedsMarginals}};

}  // namespace

constinit const LearnerRecord kExcessiveGapLearner = {
    .name = "excessive-gap",
    .summary = "Nesterov's excessive gap technique",
    .section = "Methods with marginals: `eg`, `excessive-gap`, `extragradient`",
    .make = MakeExcessiveGapLearner,
    .variants = kExcessiveGapVariants,
    .own_steps = "takes steps of the excessive gap method only",
    .own_order = "takes all examples at once"};

}  // namespace slackline::internal
