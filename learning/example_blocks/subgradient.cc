// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/subgradient.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/feature_map.h>
#include <slackline/learning/example_blocks/dual_point_learner.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {
namespace {

/// When the product of projection factors is smaller than this, it is multiplied into the sums.
constexpr double kSmallestShrink = 1e-3;
/// Smallest factor of one projection. When no loss is possible the ball is a point, and the factor
/// must not be zero, since sums are divided by it.
constexpr double kSmallestFactor = 1e-100;

class SubgradientLearner : public DualPointLearner {
 public:
  SubgradientLearner(const Problem& problem, const TrainOptions& options)
      : DualPointLearner(problem, options),
        own_(options.own<SubgradientOptions>()),
        sum_(problem.num_weights(), 0.0),
        masses_(problem.size(), 0.0),
        primal_at_zero_(PrimalAtZeroWeights(problem)) {}

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) { Step(m); });
    FindShare();
  }

  Evaluation Evaluate(int threads) override {
    evaluated_ = sum_;
    for (double& weight : evaluated_) weight *= scale();
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    return Certify(share_ * MeanLoss() - share_ * share_ * regulariser, sum_, threads);
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("ssg");
    visits_.Archive(archive);
    archive->FiniteReals(sum_);
    archive->FiniteReals(points_.coordinates());
    archive->FiniteReals(masses_);
    archive->FiniteReals(points_.losses());
    ArchiveCommon(archive);
    archive->PositiveReal(&shrink_);
    archive->FiniteReal(&square_);
    archive->NonNegativeReal(&share_);
    archive->Require(shrink_ <= 1 && share_ <= 1, "a share is larger than one");
    for (const double mass : masses_) archive->Require(mass >= 0, "a mass is negative");
    archive->Count(&steps_);
    archive->Count(&oracle_calls_);
  }

  /// The current dual point counts as the first pass of the new run.
  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    if (steps_ == 0) return;
    FindShare();
    Multiply(share_ * point_scale());
    shrink_ = 1;
    steps_ = problem_.size();
    FindShare();
  }

 protected:
  double PointShare(Index /*m*/) const override { return share_ * point_scale(); }

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

  void Step(Index m) {
    const ExampleView example = problem_.data().example(m);
    const double length = problem_.lambda() * static_cast<double>(steps_);  // λk
    const Corner corner = Ask(m, sum_, {}, scale());
    ++steps_;
    if (own_.projection) {
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
    if (own_.projection) Project();
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
    Multiply(shrink_);
    shrink_ = 1;
  }

  void Multiply(double factor) {
    for (auto* list : {&sum_, &masses_}) {
      for (double& value : *list) value *= factor;
    }
    points_.Scale(factor);
  }

  /// Computes θ, and ‖λk·w‖² from scratch, in which rounding errors of many steps accumulate.
  void FindShare() {
    const double squares = 2 * Regulariser(1, sum_);
    square_ = shrink_ * shrink_ * squares;
    const double mass = point_scale() * *std::max_element(masses_.begin(), masses_.end());
    const double regulariser = 0.5 * problem_.lambda() * scale() * scale() * squares;
    share_ = std::min(BestShare(MeanLoss(), regulariser), mass > 1 ? 1 / mass : 1.0);
  }

  SubgradientOptions own_;
  std::vector<double> sum_;
  double shrink_ = 1;
  double square_ = 0;  // ‖λk·w‖²; kept up to date within passes for projections only
  double share_ = 1;   // θ of the newest point
  std::vector<double> masses_;  // Σ 1 / shrink_ before the step; points_: Σ corner / shrink_
  double primal_at_zero_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeSubgradientLearner(const Problem& problem,
                                                const TrainOptions& options) {
  return std::make_unique<SubgradientLearner>(problem, options);
}

namespace {

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
    .make = MakeSubgradientLearner,
    .variants = kOracleVariants,
    .reads = "average keep-newest rescaling oracle",
    .options = kSubgradientOptionLists,
    .own_steps = "takes subgradient steps only"};

}  // namespace slackline::internal
