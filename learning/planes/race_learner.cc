// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/race_learner.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <slackline/learning/corner_learner.h>
#include <slackline/learning/joint_planes.h>

namespace slackline {
namespace {

/// Passes of example blocks before planes can have a trial.
constexpr Index kFirstPasses = 4;
/// Oracle calls for every example that a pass counts for at most, when it went on with steps on kept corners for long: planes have to ask, too.
constexpr double kMostRounds = 3;
/// The planes that a problem of d weights is expected to need, kPlanes · d^kPlanesPower, each about a pass's work. (Measured: 12 with 5 weights, 25
/// with 9, 37 with 205, 64 and 72 with 450 and 330 on unscaled features.) No trial while example blocks have less to do than that.
constexpr double kPlanes = 10;
constexpr double kPlanesPower = 0.35;
/// The work of the first trial, as a share of what was done before it …
constexpr double kTrial = 0.25;
/// … and of later turns: of the work of the way whose turn it is.
constexpr double kTurn = 0.5;
/// A way that has had less than this share of the other's work is tried again.
constexpr double kSecondChance = 0.1;
/// What is to be done where nothing was gained lately, in units of the work so far: the first passes of many runs gain nothing that a gap
/// shows.
constexpr double kUnknown = 10;
/// Estimates of gaps are multiplied by what certified gaps were more than they, at most by this.
constexpr double kMostOptimism = 1e4;
/// Gaps that no run asks for.
constexpr double kSmallestTarget = 1e-6;
/// Weights of which planes are made: each of some hundred planes may have a number for all of them, 8 bytes.
constexpr Offset kMostWeights = 200'000;
constexpr std::size_t kMostPoints = 64;

/// The smallest gap so far over the work, with fewer points the longer it gets.
class GapCurve {
 public:
  void Add(double work, double gap) {
    if (!std::isfinite(gap)) return;
    gap = std::max(gap, 0.0);
    if (!points_.empty()) gap = std::min(gap, points_.back().gap);
    points_.push_back({work, gap});
    if (points_.size() < kMostPoints) return;
    std::size_t kept = 0;
    for (std::size_t k = 1; k < points_.size(); k += 2) points_[kept++] = points_[k];
    points_.resize(kept);
  }

  /// The work that is still to be done to `target` if the logarithm of the gap goes on falling as it did over the second half of the
  /// work.
  double Remaining(double target) const {
    if (points_.empty()) return kInfinity;
    const Point& last = points_.back();
    if (last.gap <= target) return 0;
    const double unknown = kUnknown * last.work;
    const auto begin = std::find_if(points_.begin(), points_.end(),
                                    [&](const Point& point) { return 2 * point.work >= last.work; });
    const double fallen = std::log(begin->gap / last.gap);
    if (!(fallen > 0)) return unknown;
    return std::min(unknown, std::log(last.gap / target) / fallen * (last.work - begin->work));
  }

  void Clear() { points_.clear(); }
  void Multiply(double factor) {
    for (Point& point : points_) point.gap *= factor;
  }

  void Save(StateWriter* writer) const {
    writer->Integer(static_cast<std::int64_t>(points_.size()));
    for (const Point& point : points_) {
      writer->Real(point.work);
      writer->Real(point.gap);
    }
  }
  void Load(StateReader* reader) {
    points_.resize(static_cast<std::size_t>(reader->Integer(0, static_cast<std::int64_t>(kMostPoints))));
    for (Point& point : points_) {
      point.work = reader->NonNegativeReal();
      point.gap = reader->NonNegativeReal();
    }
  }

 private:
  struct Point {
    double work = 0;
    double gap = 0;
  };
  std::vector<Point> points_;
};

class RaceLearner : public Learner {
 public:
  RaceLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        plane_options_(options),
        at_zero_(PrimalAtZeroWeights(problem)),
        blocks_(MakeCornerLearner(problem, options)),
        primal_(at_zero_),
        checked_primal_(at_zero_) {
    plane_options_.learner = LearnerKind::kCuttingPlane1;
  }

  std::string_view name() const override { return "bcfw"; }

  void RunPass(const StopControl& stop) override {
    if (planes_run_) planes_->LimitPass(turn_ - (Work(*planes_) - turn_began_));
    Active().RunPass(stop);
    AfterPass(stop);
  }

  Evaluation Evaluate(int threads) override {
    const double estimate = Last().GapEstimate();
    return Absorb(Last().Evaluate(threads), estimate);
  }
  bool EvaluatesBesidePasses() const override {
    return !planes_run_ && !planes_ran_ && blocks_->EvaluatesBesidePasses();
  }
  Evaluation EvaluateBesidePass(int threads, const StopControl& stop, double* pass_seconds) override {
    if (planes_run_ || planes_ran_) return Learner::EvaluateBesidePass(threads, stop, pass_seconds);
    const double estimate = blocks_->GapEstimate();
    const Evaluation evaluation = blocks_->EvaluateBesidePass(threads, stop, pass_seconds);
    AfterPass(stop);
    Absorb(evaluation, estimate);
    ApplyChecks();
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override { return Last().Adapt(evaluation); }
  std::span<const double> weights() const override {
    return evaluated_planes_ ? planes_->weights() : blocks_->weights();
  }
  bool CheckIsCheap() const override { return Last().CheckIsCheap(); }
  double GapEstimate() const override { return planes_ran_ ? GapOfPlanes() : blocks_->GapEstimate(); }
  double ScoreScale() const override { return blocks_->ScoreScale(); }
  double PrimalAtZero() const override { return at_zero_; }
  WorkCounts work() const override {
    WorkCounts sum = blocks_->work();
    if (planes_) {
      const WorkCounts more = planes_->work();
      sum.oracle_calls += more.oracle_calls;
      sum.block_steps += more.block_steps;
      sum.entries += more.entries;
    }
    return sum;
  }

  void KeepDualPoint() override {
    keeps_point_ = true;
    blocks_->KeepDualPoint();
    if (planes_) planes_->KeepDualPoint();
  }
  bool DualPointIsBest() const override { return blocks_->DualPointIsBest(); }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    return (planes_dual_ > blocks_dual_ ? static_cast<const Learner&>(*planes_) : *blocks_)
        .DualPoint(m, coordinates, loss);
  }

  void Save(StateWriter* writer) const override {
    writer->Tag("race");
    blocks_->Save(writer);
    writer->Flag(planes_ != nullptr);
    if (planes_) planes_->Save(writer);
    for (const bool flag : {planes_run_, planes_ran_, evaluated_planes_}) writer->Flag(flag);
    writer->Integer(passes_);
    for (const std::int64_t work : {began_, turn_began_, turn_}) writer->Integer(work);
    for (const double value :
         {primal_, checked_primal_, optimism_, checked_optimism_, blocks_dual_, planes_dual_})
      writer->Real(value);
    block_curve_.Save(writer);
    plane_curve_.Save(writer);
  }

  void Load(StateReader* reader) override {
    reader->Tag("race");
    blocks_->Load(reader);
    planes_.reset();
    if (reader->Flag()) {
      MakePlanes();
      planes_->Load(reader);
    }
    for (bool* flag : {&planes_run_, &planes_ran_, &evaluated_planes_}) {
      *flag = reader->Flag();
      StateReader::Require(!*flag || planes_, "a race has no second way");
    }
    passes_ = reader->Passes();
    for (std::int64_t* work : {&began_, &turn_began_, &turn_}) *work = reader->Count();
    primal_ = reader->FiniteReal();
    checked_primal_ = reader->FiniteReal();
    optimism_ = reader->FiniteReal();
    checked_optimism_ = reader->FiniteReal();
    StateReader::Require(optimism_ >= 1 && checked_optimism_ >= optimism_, "estimates cannot be that good");
    for (double* dual : {&blocks_dual_, &planes_dual_}) *dual = reader->Real();
    block_curve_.Load(reader);
    plane_curve_.Load(reader);
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    blocks_->ChangeLambda(problem);
    if (planes_) planes_->ChangeLambda(problem);
    block_curve_.Clear();
    plane_curve_.Clear();
    passes_ = 0;
    began_ = Work(*blocks_);
    primal_ = checked_primal_ = at_zero_;
    optimism_ = checked_optimism_ = 1;
    blocks_dual_ = planes_dual_ = -kInfinity;
    // The way that was faster for the λ before goes on.
    turn_began_ = Work(Active());
    turn_ = 0;
  }

 private:
  static std::int64_t Work(const Learner& learner) { return learner.work().entries; }
  Learner& Active() { return planes_run_ ? static_cast<Learner&>(*planes_) : *blocks_; }
  Learner& Last() { return planes_ran_ ? static_cast<Learner&>(*planes_) : *blocks_; }
  const Learner& Last() const { return planes_ran_ ? static_cast<const Learner&>(*planes_) : *blocks_; }

  /// Of the best weights that a check or a plane has seen.
  double GapOfPlanes() const { return std::min(primal_ - planes_->dual(), planes_->GapEstimate()); }

  /// What a check has found. Passes see it one pass later (ApplyChecks), so that a pass may be made beside a check.
  Evaluation Absorb(const Evaluation& evaluation, double estimate) {
    checked_primal_ = std::min(checked_primal_, evaluation.primal);
    double& dual = planes_ran_ ? planes_dual_ : blocks_dual_;
    dual = std::max(dual, evaluation.dual);
    evaluated_planes_ = planes_ran_;
    const double gap = checked_primal_ - std::max({0.0, blocks_dual_, planes_dual_});
    if (!planes_ran_ && estimate > 0)
      checked_optimism_ = std::max(checked_optimism_, std::min(kMostOptimism, gap / estimate));
    return evaluation;
  }

  void ApplyChecks() {
    primal_ = checked_primal_;
    block_curve_.Multiply(checked_optimism_ / optimism_);
    optimism_ = checked_optimism_;
  }

  void MakePlanes() {
    planes_ = MakeJointPlaneLearner(problem_, plane_options_);
    if (keeps_point_) planes_->KeepDualPoint();
  }

  double Target() const {
    return std::max(options_.absolute_gap, std::max(kSmallestTarget, options_.gap_tolerance) * primal_);
  }

  void AfterPass(const StopControl& stop) {
    planes_ran_ = planes_run_;
    if (stop.ShouldStop()) return;  // the pass may have been cut short, and is the last one
    ChooseNext();
    ApplyChecks();
  }

  /// Whose turn is next.
  void ChooseNext() {
    ++passes_;
    Learner& ran = Last();
    const std::int64_t work = Work(ran);
    GapCurve& curve = planes_ran_ ? plane_curve_ : block_curve_;
    curve.Add(static_cast<double>(work), planes_ran_ ? GapOfPlanes() : optimism_ * ran.GapEstimate());
    if (!planes_) {
      if (problem_.num_weights() > kMostWeights) return;
      const auto done = static_cast<double>(work - began_);
      const double pass = std::min(done / passes_, kMostRounds * blocks_->WorkOfRound());
      if (done < kFirstPasses * pass) return;
      const double planes = kPlanes * std::pow(static_cast<double>(problem_.num_weights()), kPlanesPower);
      if (block_curve_.Remaining(Target()) <= planes * pass) return;
      BeginTrial(work);
      return;
    }
    if (work - turn_began_ < turn_) return;
    const double blocks = block_curve_.Remaining(Target());
    const double planes = plane_curve_.Remaining(Target());
    planes_run_ = planes < blocks;
    const auto leading = static_cast<double>(Work(Active()));
    Learner& other = planes_run_ ? static_cast<Learner&>(*blocks_) : *planes_;
    const auto trailing = static_cast<double>(Work(other));
    double share = kTurn * leading;
    if (trailing < kSecondChance * leading && std::min(blocks, planes) > kTurn * leading) {
      planes_run_ = !planes_run_;
      share = kSecondChance * leading;
    }
    Turn(share);
  }

  void BeginTrial(std::int64_t work) {
    MakePlanes();
    planes_->TakeOver(blocks_->sets(), blocks_->reached(), blocks_->GapEstimate());
    planes_run_ = true;
    Turn(kTrial * static_cast<double>(work));
  }

  void Turn(double share) {
    turn_began_ = Work(Active());
    turn_ = static_cast<std::int64_t>(share);
  }

  Problem problem_;
  TrainOptions options_;
  TrainOptions plane_options_;
  double at_zero_;
  std::unique_ptr<CornerLearnerBase> blocks_;
  std::unique_ptr<JointPlaneLearnerBase> planes_;  // null before the trial
  bool planes_run_ = false;                        // they make the next pass
  bool planes_ran_ = false;                        // they made the last one
  bool evaluated_planes_ = false;                  // the last evaluation was of them
  bool keeps_point_ = false;
  Index passes_ = 0;
  std::int64_t began_ = 0;       // work of example blocks before this λ
  std::int64_t turn_began_ = 0;  // work of the way whose turn it is, when that began
  std::int64_t turn_ = 0;        // work of the turn
  double primal_;                // the best that was evaluated …
  double checked_primal_;        // … also by the newest check
  double blocks_dual_ = -kInfinity;
  double planes_dual_ = -kInfinity;
  double optimism_ = 1;          // of estimates of example blocks …
  double checked_optimism_ = 1;  // … also by the newest check
  GapCurve block_curve_;
  GapCurve plane_curve_;
};

}  // namespace

std::unique_ptr<Learner> MakeRaceLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<RaceLearner>(problem, options);
}

}  // namespace slackline
