// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/joint_planes.h>

#include <algorithm>
#include <utility>

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

}  // namespace

JointPlaneLearner::JointPlaneLearner(const Problem& problem, const TrainOptions& options)
    : ExampleBlockLearner(problem, options,
                          {.solver = options.oracle,
                           .effort = ExampleOracle::Effort::kChecking,
                           .rescaling = options.rescaling,
                           .stop = options.stop}),
      kept_(problem, options),
      planes_(problem.num_weights(), problem.size(), problem.lambda()),
      best_(problem.num_weights(), 0.0),
      cache_(options.own<CuttingPlane1Options>().constraint_cache != Switch::kOff),
      at_zero_(PrimalAtZeroWeights(problem)),
      best_risk_(at_zero_) {
  traits_.advisor = this;
  traits_.listener = this;
}

void JointPlaneLearner::TakeOver(std::span<const ActiveSet> sets, std::span<const double> weights,
                                 double gap) {
  kept_.TakeOver(sets);
  point_.assign(weights.begin(), weights.end());
  kept_.Recall(point_, StopControl(nullptr, 0), &plane_);
  AddPlane(kCachedTolerance * gap);
  violation_ = gap;
}

void JointPlaneLearner::RunPass(const StopControl& stop) {
  if (cache_) CachedRounds(stop);
  most_work_ = kNoLimit;
  point_.assign(planes_.weights().begin(), planes_.weights().end());
  violation_ = TakePlane(stop);
  AddPlane(Tolerance());
}

double JointPlaneLearner::TakePlane(const StopControl& stop) {
  kept_.Ask(point_, stop, &plane_);
  const bool better = plane_.value + Regulariser(problem_.lambda(), point_) < BestObjective();
  if (plane_.whole && better) {
    best_ = point_;
    best_risk_ = plane_.value;
  }
  return PlaneBundle::At(plane_.direction, plane_.offset, planes_.weights()) - planes_.cut();
}

Evaluation JointPlaneLearner::Evaluate(int threads) {
  evaluated_ = best_;
  Evaluation evaluation;
  evaluation.problem = kept_.relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
  evaluation.primal = evaluator_.Primal(evaluated_, kept_.sets(), kept_.warm(), threads);
  evaluation.dual = planes_.value();
  return evaluation;
}

std::string JointPlaneLearner::Adapt(const Evaluation& evaluation) {
  best_risk_ = std::max(best_risk_, evaluation.primal - Regulariser(problem_.lambda(), best_));
  return {};
}

bool JointPlaneLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
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

void JointPlaneLearner::Archive(StateArchive* archive) {
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
  archive->Count(&rounds_);
  if (archive->loading()) evaluated_.clear();
}

void JointPlaneLearner::ChangeLambda(const Problem& problem) {
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
  rounds_ = 0;
}

double JointPlaneLearner::Tolerance() const {
  return std::clamp(kJointProgramShare * GapEstimate(), kTightest * at_zero_, kLoosest * at_zero_);
}

void JointPlaneLearner::AddPlane(double tolerance) {
  planes_.Add(plane_.direction, plane_.offset, plane_.corners);
  planes_.Solve(tolerance);
  if (planes_.DropIdle(options_.own<PlaneOptions>().prune_after)) kept_.DropUnused(&planes_);
  ++rounds_;
}

/// Adds planes of cached labellings while they are violated by at least kWorthAdding of the
/// violation of the oracle's last plane.
void JointPlaneLearner::CachedRounds(const StopControl& stop) {
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

namespace {

constexpr OptionRecord kCacheOptions[] = {
    {.name = "constraint-cache",
     .placeholder = "auto|on|off",
     .text = "cutting-plane-1: before calling the oracle, add violated cutting planes made of "
             "labellings that it found earlier",
     .default_text = "auto",
     .field = Field<&CuttingPlane1Options::constraint_cache>,
     .special_values = "on off"}};
constexpr std::span<const OptionRecord> kCuttingPlane1Lists[] = {kPlaneOptions, kCacheOptions};

}  // namespace

constinit const LearnerRecord kCuttingPlane1Learner = {
    .name = "cutting-plane-1",
    .summary = "cutting planes, one slack for all examples",
    .section = "Cutting planes: `cutting-plane-1`, `cutting-plane-n`, `bmrm`",
    .make = [](const Problem& problem, const TrainOptions& options) -> std::unique_ptr<Learner> {
      return std::make_unique<JointPlaneLearner>(problem, options);
    },
    .variants = kOracleVariants,
    .reads = "rescaling oracle",
    .options = kCuttingPlane1Lists,
    .own_steps = "takes no steps: it solves a quadratic program over its planes",
    .own_order = "takes all examples at once"};

}  // namespace slackline::internal
