// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `ssg`: stochastic subgradient steps on the primal.
//
// Source: Shalev-Shwartz, Singer, Srebro, Cotter, "Pegasos: primal estimated sub-gradient solver
// for SVM", Mathematical Programming 2011, figure 1, with the steps 1/(λ(k+1)) that Lacoste-Julien,
// Jaggi, Schmidt, Pletscher compare with (ICML 2013, appendix F):
//     w_{k+1} = (1 − 1/(k+1)) w_k + ψ_i(y*) / (λ(k+1)).
// Axes: blocks = examples · oracle = any MapSolver · step = fixed · order = a fresh permutation
// each pass, or drawn with replacement.
//
//   symbol    here                  shape
//   k         steps_
//   λk·w_k    shrink_ · sum_        num_weights: the sum of all ψ so far, which a step changes
//                                   where ψ is not zero
//   μ_i       points_, masses_      Σ corner / shrink_ and Σ 1 / shrink_ (the factor before the
//                                   step), dual_points.h and one number per example
//
// With SubgradientOptions::projection iterates are projected onto the ball ‖w‖² ≤ P(0)/λ. The ball
// contains the optimum, where λ/2‖w‖² + mean hinge = ℓ − λ/2‖w‖² with ℓ ≤ P(0) and a hinge ≥ 0.
// (Pegasos, section 2.2, for losses of at most 1.) shrink_ is the product of the factors of these
// projections.
//
// The dual bound: the subgradient method knows no dual, but its iterates are
//     w_k = Ψμ with μ_i = (M/k) Σ_{steps t at example i} (factors of later projections) · corner_t,
// since the first step forgets w_0. After whole passes in permuted order without projections every
// example has had k/M steps: μ_i is the mean of its corners, a feasible dual point. In general
// example i has mass a_i = (M/k) Σ_t (factors) instead of 1. Missing mass belongs to the ground
// truth, which adds nothing to w or to the loss; if the largest a exceeds 1, all points are
// multiplied by θ = 1/max a. So f(θμ) is a lower bound for any order and any projections; θ is
// lowered further if that makes f larger (BestShare). The bound is that of the newest point, and
// need not rise from check to check.
//
// Averages (TrainOptions::average) are of the primal iterates; their bound is the newest point's.
// Cost of a step, as for bcfw without line search: one oracle call, one evaluation of the score
// tables, one sweep over the input.
#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/reference/reference_learner.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/iterate_average.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

/// When the product of projection factors is smaller than this, it is multiplied into the sums.
constexpr double kSmallestShrink = 1e-3;
/// Smallest factor of one projection. When no loss is possible the ball is a point, and the factor
/// must not be zero, since sums are divided by it.
constexpr double kSmallestFactor = 1e-100;

class SubgradientLearner : public ReferenceLearner {
 public:
  SubgradientLearner(const Problem& problem, const TrainOptions& options)
      : ReferenceLearner(problem, options, CheckingOracle(options)),
        projects_(options.own<SubgradientOptions>().projection),
        visits_(options, problem.data()),
        average_(AverageRuleOf(options), problem.num_weights()),
        sum_(problem.num_weights(), 0.0),
        masses_(problem.size(), 0.0),
        primal_at_zero_(PrimalAtZeroWeights(problem)) {}

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) { Step(m); });
    FindShare();
  }

  Evaluation Evaluate(int threads) override {
    std::vector<double> weights = sum_;
    for (double& weight : weights) weight *= scale();
    const double dual =
        theta_ * MeanLoss() - theta_ * theta_ * Regulariser(problem_.lambda(), weights);
    Evaluation evaluation = Certify(std::move(weights), dual, threads);
    if (!average_.active()) return evaluation;
    std::vector<double> mean;
    average_.Read(sum_, &mean);
    const double primal = evaluator_.Primal(mean, warm_, threads);
    if (!options_.keep_newest && !(primal < evaluation.primal)) return evaluation;
    evaluation.primal = primal;
    evaluated_ = std::move(mean);
    return evaluation;
  }

 private:
  /// w = scale() · sum_.
  double scale() const {
    return steps_ > 0 ? shrink_ / (problem_.lambda() * static_cast<double>(steps_)) : 0;
  }
  /// μ = point_scale() · points_; masses have the same scale.
  double point_scale() const {
    return steps_ > 0 ? shrink_ * problem_.size() / static_cast<double>(steps_) : 0;
  }
  double MeanLoss() const { return point_scale() * points_.TotalLoss() / problem_.size(); }

  /// One iteration of figure 1; with --projection its optional last line, too.
  void Step(Index m) {
    const ExampleView example = problem_.data().example(m);
    const double length = problem_.lambda() * static_cast<double>(steps_);  // λk
    const Corner corner = Ask(m, sum_, scale());
    ++steps_;
    if (projects_) {
      // ‖λk·w + ψ‖², where w·ψ = Δ − H.
      square_ += 2 * length * (corner.loss - corner.value) +
                 gram_.SquaredNorm(example, corner.coordinates);
    }
    const double added = 1 / shrink_;
    ScatterFeatures(example, corner.coordinates, added, sum_);
    if (average_.active())
      ScatterFeatures(example, corner.coordinates, average_.scale() * added, average_.lag());
    points_.Add(m, added, corner.coordinates, corner.loss);
    masses_[m] += added;
    if (projects_) Project();
    average_.EndStep(scale());
  }

  void Project() {
    const double length = problem_.lambda() * static_cast<double>(steps_);
    const double radius = length * std::sqrt(primal_at_zero_ / problem_.lambda());
    if (!(square_ > radius * radius)) return;
    const double factor = std::max(radius / std::sqrt(square_), kSmallestFactor);
    shrink_ *= factor;
    square_ *= factor * factor;
    if (shrink_ >= kSmallestShrink) return;
    average_.Fold(sum_);
    for (auto* list : {&sum_, &masses_}) {
      for (double& value : *list) value *= shrink_;
    }
    points_.Scale(shrink_);
    shrink_ = 1;
  }

  /// Computes θ, and ‖λk·w‖² from scratch, in which rounding errors of many steps accumulate.
  void FindShare() {
    const double squares = 2 * Regulariser(1, sum_);
    square_ = shrink_ * shrink_ * squares;
    const double mass = point_scale() * *std::max_element(masses_.begin(), masses_.end());
    const double regulariser = 0.5 * problem_.lambda() * scale() * scale() * squares;
    theta_ = std::min(BestShare(MeanLoss(), regulariser), mass > 1 ? 1 / mass : 1.0);
    share_ = theta_ * point_scale();
  }

  bool projects_;
  ExampleVisits visits_;
  IterateAverage average_;
  FeatureGram gram_;
  std::vector<double> sum_;
  double shrink_ = 1;
  double square_ = 0;  // ‖λk·w‖²; kept up to date within passes for projections only
  double theta_ = 1;
  std::vector<double> masses_;
  double primal_at_zero_;
  std::int64_t steps_ = 0;
};

constexpr OptionRecord kSubgradientOptions[] = {
    {.name = "projection",
     .text = "ssg: project iterates onto the ball that contains the optimum",
     .default_text = "off",
     .field = Field<&SubgradientOptions::projection>,
     .special_values = "on"}};
constexpr std::span<const OptionRecord> kSubgradientOptionLists[] = {kSubgradientOptions};

}  // namespace

constinit const LearnerRecord kSubgradientLearner = {
    .name = "ssg",
    .summary = "stochastic subgradient steps on the primal (Pegasos)",
    .section = "Subgradients: `ssg`",
    .make = MakeReference<SubgradientLearner>,
    .variants = kOracleVariants,
    .reads = "average keep-newest rescaling oracle",
    .options = kSubgradientOptionLists,
    .own_steps = "takes subgradient steps only",
    .keeps_state = false};

}  // namespace slackline::internal
