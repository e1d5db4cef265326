// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/joint_planes.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <slackline/learning/planes/plane_bundle.h>
#include <slackline/learning/planes/plane_labellings.h>
#include <slackline/learning/planes/plane_options.h>

namespace slackline::internal {
namespace {

/// Tolerance of the program after a plane of cached labellings, as a share of that plane's
/// violation.
constexpr double kCachedTolerance = 0.05;
/// Tolerance of the program after a plane of the oracle, as a share of the gap, …
constexpr double kJointProgramShare = 1e-3;
/// … and its bounds, as shares of the objective at w = 0.
constexpr double kLoosest = 1e-8;
constexpr double kTightest = 1e-12;
/// Least violation of a plane of cached labellings, as a share of the violation of the oracle's
/// last plane.
constexpr double kWorthAdding = 0.2;
constexpr Index kMaxCachedRounds = 20;
constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr double kBeyond = 0.1;  // μ: share of the line beyond its best point
/// A plane taken on the line that the newest weights violate by at most this share of the gap is
/// followed by a plane at the newest weights.
constexpr double kSmallViolation = 0.05;

class JointPlaneLearner : public JointPlaneLearnerBase, public CheckAdvisor, public CheckListener {
 public:
  JointPlaneLearner(const Problem& problem, const TrainOptions& options)
      : JointPlaneLearnerBase(problem, options,
                              {.solver = options.oracle,
                               .effort = ExampleOracle::Effort::kChecking,
                               .rescaling = options.rescaling,
                               .stop = options.stop}),
        cache_(options.learner == LearnerKind::kCuttingPlane1 &&
               options.own<CuttingPlane1Options>().constraint_cache != Switch::kOff),
        line_search_(options.learner == LearnerKind::kBundle &&
                     options.own<BundleOptions>().line_search != Switch::kOff),
        at_zero_(PrimalAtZeroWeights(problem)),
        kept_(problem, options),
        planes_(problem.num_weights(), problem.size(), problem.lambda()),
        best_(problem.num_weights(), 0.0),
        best_risk_(at_zero_) {
    traits_.advisor = this;
    traits_.listener = this;
  }

  void TakeOver(std::span<const ActiveSet> sets, std::span<const double> weights,
                double gap) override {
    kept_.TakeOver(sets);
    point_.assign(weights.begin(), weights.end());
    kept_.Recall(point_, StopControl(nullptr, 0), &plane_);
    AddPlane(kCachedTolerance * gap);
    violation_ = gap;
  }

  double dual() const override { return planes_.value(); }
  void LimitPass(std::int64_t entries) override { most_work_ = entries; }

  void RunPass(const StopControl& stop) override {
    if (cache_) CachedRounds(stop);
    most_work_ = kNoLimit;
    const bool line = line_search_ && !at_newest_;
    ChoosePoint(line);
    kept_.Ask(point_, stop, &plane_);
    if (plane_.whole) Measure();
    violation_ =
        PlaneBundle::At(plane_.direction, plane_.offset, planes_.weights()) - planes_.cut();
    at_newest_ = line && violation_ <= kSmallViolation * (BestObjective() - planes_.value());
    AddPlane(Tolerance());
  }

  Evaluation Evaluate(int threads) override {
    evaluated_ = best_;
    Evaluation evaluation;
    evaluation.problem = kept_.relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
    evaluation.primal = evaluator_.Primal(evaluated_, kept_.sets(), kept_.warm(), threads);
    evaluation.dual = planes_.value();
    return evaluation;
  }

  /// Raises best_risk_, which an oracle that stops early may have underestimated.
  std::string Adapt(const Evaluation& evaluation) override {
    best_risk_ = std::max(best_risk_, evaluation.primal - Regulariser(problem_.lambda(), best_));
    return {};
  }

  double GapEstimate() const override { return BestObjective() - planes_.value(); }
  WorkCounts work() const override {
    return {kept_.oracle_calls(), rounds_, kept_.work() + planes_.work()};
  }

  bool DualPointIsBest() const override { return true; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    const Structure& structure = problem_.data().example(m).structure();
    coordinates->assign(structure.num_coordinates(), 0.0);
    *loss = 0;
    for (Index k = 0; k < planes_.size(); ++k) {
      if (planes_.alpha(k) == 0) continue;
      const Index corner = planes_.corners(k)[m];
      *loss += kept_.AddPoint(m, corner, planes_.alpha(k), *coordinates);
    }
    return true;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("joint planes");
    kept_.Archive(archive);
    planes_.Archive(archive);
    for (Index k = 0; k < planes_.size(); ++k) {
      const std::span<const Index> corners = std::as_const(planes_).corners(k);
      for (std::size_t m = 0; m < corners.size(); ++m)
        archive->Require(corners[m] < kept_.sets()[m].size(),
                         "a plane has a labelling that is not kept");
    }
    archive->FiniteReals(best_);
    archive->FiniteReal(&best_risk_);
    archive->Real(&violation_);
    archive->Flag(&at_newest_);
    archive->Count(&rounds_);
    if (archive->loading()) evaluated_.clear();
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    kept_.set_problem(problem);
    planes_.set_lambda(problem.lambda());
    planes_.Solve(Tolerance());
    // The risk at given weights is the same for every λ, but w = 0 may be better than best_ at the
    // new λ.
    if (at_zero_ < BestObjective()) {
      std::fill(best_.begin(), best_.end(), 0.0);
      best_risk_ = at_zero_;
    }
    violation_ = kInfinity;
    at_newest_ = true;
    rounds_ = 0;
  }

 private:
  double BestObjective() const { return best_risk_ + Regulariser(problem_.lambda(), best_); }

  double Tolerance() const {
    return std::clamp(kJointProgramShare * GapEstimate(), kTightest * at_zero_,
                      kLoosest * at_zero_);
  }

  /// Chooses the weights at which the next plane is taken: the newest weights, or with `line` a
  /// point near the best one between the best and the newest weights (Franc and Sonnenburg,
  /// equation (13)).
  void ChoosePoint(bool line) {
    point_.assign(planes_.weights().begin(), planes_.weights().end());
    if (!line) return;
    const double k = kept_.BestOnLine(best_, point_);
    const double share = (1 - kBeyond) * k + kBeyond;
    for (std::size_t i = 0; i < point_.size(); ++i)
      point_[i] = best_[i] + share * (point_[i] - best_[i]);
  }

  /// Makes point_ the best weights if the plane shows a smaller objective there.
  void Measure() {
    if (!(plane_.value + Regulariser(problem_.lambda(), point_) < BestObjective())) return;
    best_ = point_;
    best_risk_ = plane_.value;
  }

  void AddPlane(double tolerance) {
    planes_.Add(plane_.direction, plane_.offset, plane_.corners);
    planes_.Solve(tolerance);
    if (planes_.DropIdle(options_.own<PlaneOptions>().prune_after)) kept_.DropUnused(&planes_);
    ++rounds_;
  }

  /// Adds planes of cached labellings while they are violated by at least kWorthAdding of the
  /// violation of the oracle's last plane.
  void CachedRounds(const StopControl& stop) {
    const std::int64_t before = work().entries;
    for (Index round = 0; round < kMaxCachedRounds && !stop.ShouldStop(); ++round) {
      if (work().entries - before > most_work_) break;
      kept_.Recall(planes_.weights(), stop, &plane_);
      const double violation = plane_.value - planes_.cut();
      if (!(violation > kWorthAdding * violation_)) break;
      if (planes_.Has(plane_.corners)) break;  // the violation is a rounding error
      AddPlane(kCachedTolerance * violation);
    }
  }

  bool cache_;        // whether planes of cached labellings precede that of the oracle
  bool line_search_;  // whether planes are taken between the best and the newest weights
  double at_zero_;
  PlaneLabellings kept_;
  PlaneBundle planes_;
  std::vector<double> point_;
  NewPlane plane_;
  std::vector<double> best_;
  double best_risk_;  // estimate of (1/M) Σ max H_m at best_ from planes and checks
  // Violation of the oracle's last plane at the newest weights: its value less that of the model.
  double violation_ = kInfinity;
  bool at_newest_ = false;             // the next plane is taken at the newest weights
  std::int64_t rounds_ = 0;            // planes added
  std::int64_t most_work_ = kNoLimit;  // limit on planes of cached labellings in the next pass
};

}  // namespace

std::unique_ptr<JointPlaneLearnerBase> MakeJointPlaneLearner(const Problem& problem,
                                                             const TrainOptions& options) {
  return std::make_unique<JointPlaneLearner>(problem, options);
}

namespace {

constexpr OptionRecord kCacheOptions[] = {
    {.name = "constraint-cache",
     .placeholder = "auto|on|off",
     .text = "cutting-plane-1: before calling the oracle, add violated cutting planes made of "
             "labellings that it found earlier",
     .default_text = "auto",
     .field = Field<&CuttingPlane1Options::constraint_cache>,
     .special_values = "on off"}};
constexpr OptionRecord kBundleOptions[] = {
    {.name = "line-search",
     .placeholder = "auto|on|off",
     .text = "bmrm: take cutting planes near the best weights of a line search, not at the newest "
             "weights",
     .default_text = "auto",
     .field = Field<&BundleOptions::line_search>,
     .special_values = "on off"}};
constexpr std::span<const OptionRecord> kCuttingPlane1Lists[] = {kPlaneOptions, kCacheOptions};
constexpr std::span<const OptionRecord> kBundleLists[] = {kPlaneOptions, kBundleOptions};

}  // namespace

constinit const LearnerRecord kCuttingPlane1Learner = {
    .name = "cutting-plane-1",
    .summary = "cutting planes, one slack for all examples",
    .section = "Cutting planes: `cutting-plane-1`, `cutting-plane-n`, `bmrm`",
    .make = [](const Problem& problem, const TrainOptions& options) -> std::unique_ptr<Learner> {
      return MakeJointPlaneLearner(problem, options);
    },
    .variants = kOracleVariants,
    .reads = "rescaling oracle",
    .options = kCuttingPlane1Lists,
    .own_steps = "takes no steps: it solves a quadratic program over its planes",
    .own_order = "takes all examples at once"};
constinit const LearnerRecord kBundleLearner = {
    .name = "bmrm",
    .summary = "a bundle method with a line search",
    .section = "Cutting planes: `cutting-plane-1`, `cutting-plane-n`, `bmrm`",
    .make = [](const Problem& problem, const TrainOptions& options) -> std::unique_ptr<Learner> {
      return MakeJointPlaneLearner(problem, options);
    },
    .variants = kOracleVariants,
    .reads = "rescaling oracle",
    .options = kBundleLists,
    .own_steps = "takes no steps: it solves a quadratic program over its planes",
    .own_order = "takes all examples at once"};

}  // namespace slackline::internal
