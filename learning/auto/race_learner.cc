// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/race_learner.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <slackline/core/graph_topology.h>
#include <slackline/learning/auto/factor_way.h>
#include <slackline/learning/auto/gap_curve.h>
#include <slackline/learning/auto/tuned.h>
#include <slackline/learning/example_blocks/active_set_learner.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/planes/joint_planes.h>

namespace slackline::internal {
namespace {

enum Which : int { kExamples, kPlanesOfAll, kFactors };
constexpr int kWays = 3;

bool AllForests(const Problem& problem) {
  const auto& structures = problem.data().structures();
  return std::all_of(structures.begin(), structures.end(),
                     [](const auto& structure) { return IsForest(structure->graph()); });
}

class RaceLearner : public Learner,
                    public DualPointSource,
                    public LambdaFollower,
                    public CheckAdvisor,
                    public CheckListener,
                    public CheckCompanion {
 public:
  RaceLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        factors_apply_(FactorsApply(problem, options)),
        factor_pass_(factors_apply_ ? PassOfFactors(problem) : 0),
        forests_(AllForests(problem)),
        factor_trial_(forests_ ? tuned::kOnForests : tuned::kOnCycles),
        at_zero_(PrimalAtZeroWeights(problem)),
        primal_(at_zero_),
        checked_primal_(at_zero_) {
    traits_ = {
        .dual_point = this, .lambda = this, .advisor = this, .listener = this, .companion = this};
    auto blocks = MakeActiveSetLearner(problem, options);
    blocks_ = blocks.get();
    way(kExamples).learner = std::move(blocks);
  }

  void RunPass(const StopControl& stop) override {
    if (active_ == kPlanesOfAll) planes_->LimitPass(turn_ - (Work(active_) - turn_began_));
    way(active_).learner->RunPass(stop);
    AfterPass(stop);
  }

  Evaluation Evaluate(int threads) override {
    const double estimate = slackline::internal::GapEstimate(Last());
    return Absorb(Last().Evaluate(threads), estimate);
  }
  bool EvaluatesBesidePasses() const override {
    // Such a pass may be undone, which requires a copy of the state of all ways; the state of
    // factor blocks is too large for that.
    return active_ == kExamples && ran_ == kExamples && !way(kFactors).learner &&
           slackline::internal::EvaluatesBesidePasses(*blocks_);
  }
  Evaluation EvaluateBesidePass(int threads, const StopControl& stop,
                                double* pass_seconds) override {
    if (active_ != kExamples || ran_ != kExamples)
      return EvaluateThenPass(*this, threads, stop, pass_seconds);
    const double estimate = slackline::internal::GapEstimate(*blocks_);
    const Evaluation evaluation =
        blocks_->traits().companion->EvaluateBesidePass(threads, stop, pass_seconds);
    AfterPass(stop);
    Absorb(evaluation, estimate);
    ApplyChecks();
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    if (ran_ != kFactors) return slackline::internal::Adapt(Last(), evaluation);
    // Notes of factor blocks about their penalty are dropped, because the user did not choose them.
    slackline::internal::Adapt(Last(), factor_evaluation_);
    return {};
  }
  bool CheckIsCheap() const override { return slackline::internal::CheckIsCheap(Last()); }
  double GapEstimate() const override {
    return ran_ == kPlanesOfAll ? GapOfPlanes() : slackline::internal::GapEstimate(Last());
  }
  WorkCounts work() const override {
    WorkCounts sum;
    for (int which = 0; which < kWays; ++which) {
      if (!way(which).learner) continue;
      const WorkCounts work = way(which).learner->work();
      sum.oracle_calls += work.oracle_calls;
      sum.block_steps += work.block_steps;
      sum.entries += Work(which);
    }
    return sum;
  }

  void KeepDualPoint() override {
    keeps_point_ = true;
    for (Way& one : ways_) {
      if (one.learner) one.learner->traits().dual_point->KeepDualPoint();
    }
  }
  bool DualPointIsBest() const override { return BestPoint().DualPointIsBest(); }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    return BestPoint().DualPoint(m, coordinates, loss);
  }
  bool PrimalIsObjective() const override { return !way(kFactors).learner; }

  void Archive(StateArchive* archive) override {
    archive->Tag("race");
    for (int which = 0; which < kWays; ++which) {
      Way& one = way(which);
      bool exists = one.learner != nullptr;
      archive->Flag(&exists);
      archive->Require(exists || which != kExamples, "a race has no example blocks");
      archive->Require(!exists || which != kFactors || factors_apply_, "a race has factor blocks");
      if (archive->loading() && which != kExamples) Make(which, exists);
      if (exists) one.learner->Archive(archive);
      archive->Count(&one.before);
      archive->Real(&one.dual);
      one.curve.Archive(archive);
    }
    for (int* which : {&active_, &ran_, &evaluated_way_}) {
      archive->Integer(which, 0, kWays - 1);
      archive->Require(way(*which).learner != nullptr, "a race does not have the way that runs");
    }
    archive->Passes(&passes_);
    for (std::int64_t* work : {&work_before_lambda_, &turn_began_, &turn_}) archive->Count(work);
    archive->Flag(&checked_in_turn_);
    for (double* value : {&primal_, &checked_primal_, &optimism_, &checked_optimism_})
      archive->FiniteReal(value);
    archive->Require(optimism_ >= 1 && checked_optimism_ >= optimism_,
                     "estimates cannot be that good");
    if (archive->loading()) evaluated_.clear();
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    for (int which = 0; which < kWays; ++which) {
      Way& one = way(which);
      if (!one.learner) continue;
      if (which == kFactors) {
        one.before = Work(kFactors);
        auto changed = std::make_unique<Problem>(problem);
        one.learner->traits().lambda->ChangeLambda(*changed);
        problem_of_factors_ = std::move(changed);
      } else {
        one.learner->traits().lambda->ChangeLambda(problem);
      }
      one.curve.Clear();
      one.dual = -kInfinity;
    }
    passes_ = 0;
    work_before_lambda_ = Work(kExamples);
    primal_ = checked_primal_ = at_zero_;
    optimism_ = checked_optimism_ = 1;
    // The way that was active at the previous λ continues.
    BeginTurn(active_ == kFactors ? factor_trial_.trial * factor_pass_ : 0);
  }

 private:
  struct Way {
    std::unique_ptr<Learner> learner;  // null before the first trial
    GapCurve curve;
    double dual = -kInfinity;  // largest lower bound of all checks
    std::int64_t before = 0;   // work at previous λ that the learner does not count itself
  };

  Way& way(int which) { return ways_[which]; }
  const Way& way(int which) const { return ways_[which]; }
  Learner& Last() { return *way(ran_).learner; }
  const Learner& Last() const { return *way(ran_).learner; }
  /// The way with the largest lower bound.
  const Way& BestWay() const {
    return *std::max_element(ways_.begin(), ways_.end(),
                             [](const Way& a, const Way& b) { return a.dual < b.dual; });
  }

  const DualPointSource& BestPoint() const { return *BestWay().learner->traits().dual_point; }

  /// Work of a way so far, in array entries; 0 before its trial.
  std::int64_t Work(int which) const {
    const Way& one = way(which);
    if (!one.learner) return 0;
    const WorkCounts work = one.learner->work();
    if (which != kFactors) return work.entries;
    return one.before + static_cast<std::int64_t>(WorkOfFactorsHere());
  }
  /// Work of factor blocks at the current λ, in array entries.
  double WorkOfFactorsHere() const {
    const auto steps = static_cast<double>(way(kFactors).learner->work().block_steps);
    return factor_pass_ * steps / static_cast<double>(problem_.num_parts());
  }

  /// Gap of planes, at the best weights that a check or a plane has evaluated.
  double GapOfPlanes() const {
    return std::min(primal_ - planes_->dual(), slackline::internal::GapEstimate(*planes_));
  }

  /// Records the result of a check. Decisions use this result only after the next pass
  /// (ApplyChecks), so that a pass may be made during a check.
  Evaluation Absorb(const Evaluation& evaluation, double estimate) {
    checked_primal_ = std::min(checked_primal_, evaluation.primal);
    Way& ran = way(ran_);
    ran.dual = std::max(ran.dual, evaluation.dual);
    const std::span<const double> weights = ran.learner->weights();
    evaluated_.assign(weights.begin(), weights.end());
    evaluated_way_ = ran_;
    const double gap = checked_primal_ - std::max(0.0, BestWay().dual);
    if (ran_ == kExamples && estimate > 0)
      checked_optimism_ =
          std::max(checked_optimism_, std::min(tuned::kMostOptimism, gap / estimate));
    if (ran_ != kFactors) return evaluation;
    // The gap of factor blocks is known only from checks. The figures of their penalized problem do
    // not belong to the problem of the run, and are left out.
    ran.curve.Add(static_cast<double>(Work(kFactors)), checked_primal_ - ran.dual);
    checked_in_turn_ = true;
    factor_evaluation_ = evaluation;
    Evaluation of_race;
    // On graphs without cycles the relaxation is exact.
    of_race.problem = forests_ ? CertifiedProblem::kExact : CertifiedProblem::kRelaxed;
    of_race.primal = evaluation.primal;
    of_race.dual = evaluation.dual;
    return of_race;
  }

  void ApplyChecks() {
    primal_ = checked_primal_;
    way(kExamples).curve.Multiply(checked_optimism_ / optimism_);
    optimism_ = checked_optimism_;
  }

  void Make(int which, bool wanted = true) {
    std::unique_ptr<Learner>& learner = way(which).learner;
    learner.reset();
    if (which == kPlanesOfAll) planes_ = nullptr;
    if (!wanted) return;
    if (which == kPlanesOfAll) {
      TrainOptions options = options_;
      options.learner = LearnerKind::kCuttingPlane1;
      auto planes = std::make_unique<JointPlaneLearner>(problem_, options);
      planes_ = planes.get();
      learner = std::move(planes);
    } else {
      problem_of_factors_ = std::make_unique<Problem>(problem_);
      learner = MakeAugmentedLagrangianLearner(*problem_of_factors_, FactorOptions(options_));
    }
    if (keeps_point_) learner->traits().dual_point->KeepDualPoint();
  }

  double Target() const {
    return std::max(options_.absolute_gap,
                    std::max(tuned::kSmallestTarget, options_.gap_tolerance) * primal_);
  }

  void AfterPass(const StopControl& stop) {
    ran_ = active_;
    if (stop.ShouldStop()) return;  // the pass may have been cut short, and no other follows
    ChooseNext();
    ApplyChecks();
  }

  /// Decides which way makes the next pass.
  void ChooseNext() {
    if (ran_ == kExamples) ++passes_;
    if (ran_ != kFactors) {
      const double gap = ran_ == kPlanesOfAll
                             ? GapOfPlanes()
                             : optimism_ * slackline::internal::GapEstimate(*blocks_);
      way(ran_).curve.Add(static_cast<double>(Work(ran_)), gap);
    }
    if (!TurnIsOver()) return;
    std::array<double, kWays> remaining;
    for (int which = 0; which < kWays; ++which)
      remaining[which] = way(which).curve.Remaining(Target());
    if (BeginsTrial(*std::min_element(remaining.begin(), remaining.end()))) return;
    if (way(kFactors).learner) {
      // Where the oracle is expensive, the gap of example blocks falls more slowly than
      // exponentially at the end of a run.
      remaining[kExamples] =
          std::sqrt(remaining[kExamples] * way(kExamples).curve.RemainingOfPower(Target()));
      const double expected = factor_trial_.expected * factor_pass_ - WorkOfFactorsHere();
      if (expected > 0 && FactorsHaveBetterBound())
        remaining[kFactors] = std::min(remaining[kFactors], expected);
    }
    const auto best = std::min_element(remaining.begin(), remaining.end());
    active_ = static_cast<int>(best - remaining.begin());
    const auto leading = static_cast<double>(Work(active_));
    const int other = LeastTried(active_);
    const double chance = other == kFactors && FactorsHaveBetterBound()
                              ? tuned::kSecondChanceOfFactors
                              : tuned::kSecondChance;
    if (active_ == kFactors && passes_ <= tuned::kEarlyPasses && way(kExamples).curve.Stalled() &&
        Work(kExamples) < Work(kFactors)) {
      active_ = kExamples;
      BeginTurn(tuned::kTurn * static_cast<double>(Work(kExamples)));
    } else if (other != active_ && static_cast<double>(Work(other)) < chance * leading &&
               *best > tuned::kTurn * leading) {
      active_ = other;
      BeginTurn(chance * leading);
    } else {
      BeginTurn(tuned::kTurn * leading);
    }
  }

  bool FactorsHaveBetterBound() const { return way(kFactors).dual >= way(kExamples).dual; }

  bool TurnIsOver() const {
    // Without another way, example blocks have no turns.
    if (!way(kPlanesOfAll).learner && !way(kFactors).learner) return true;
    const auto done = static_cast<double>(Work(ran_) - turn_began_);
    const auto turn = static_cast<double>(turn_);
    if (ran_ == kFactors && !checked_in_turn_) return done >= tuned::kLongestWait * turn;
    return done >= turn;
  }

  /// Starts the first trial of another way if the remaining work, in array entries, justifies it.
  /// Returns whether a trial began.
  bool BeginsTrial(double remaining) {
    if (passes_ == 0) return false;
    const auto done = static_cast<double>(Work(kExamples) - work_before_lambda_);
    const double pass = std::min(done / passes_, tuned::kMostRounds * blocks_->WorkOfRound());
    if (done < tuned::kFirstPasses * pass) return false;
    if (factors_apply_ && !way(kFactors).learner &&
        pass >= factor_trial_.slow_pass * factor_pass_ &&
        remaining > factor_trial_.passes * factor_pass_) {
      Make(kFactors);
      active_ = kFactors;
      BeginTurn(factor_trial_.trial * factor_pass_);
      return true;
    }
    const auto weights = static_cast<double>(problem_.num_weights());
    if (!way(kPlanesOfAll).learner && problem_.num_weights() <= tuned::kMostWeights &&
        remaining > tuned::kPlanes * std::pow(weights, tuned::kPlanesPower) * pass) {
      Make(kPlanesOfAll);
      planes_->TakeOver(blocks_->sets(), blocks_->reached(),
                        slackline::internal::GapEstimate(*blocks_));
      active_ = kPlanesOfAll;
      BeginTurn(tuned::kTrialOfPlanes * static_cast<double>(Work(kExamples)));
      return true;
    }
    return false;
  }

  /// The way besides `leading` that has had the least work; `leading` if there is no other.
  int LeastTried(int leading) const {
    int least = leading;
    for (int which = 0; which < kWays; ++which) {
      if (which == leading || !way(which).learner) continue;
      if (least == leading || Work(which) < Work(least)) least = which;
    }
    return least;
  }

  void BeginTurn(double share) {
    turn_began_ = Work(active_);
    turn_ = static_cast<std::int64_t>(share);
    checked_in_turn_ = false;
  }

  Problem problem_;
  TrainOptions options_;
  bool factors_apply_;
  double factor_pass_;  // entries of a pass over all factor blocks
  bool forests_;
  tuned::FactorTrial factor_trial_;
  double at_zero_;
  std::unique_ptr<Problem> problem_of_factors_;  // factor blocks keep a pointer to it
  std::array<Way, kWays> ways_;
  ActiveSetLearnerBase* blocks_ = nullptr;  // in ways_
  JointPlaneLearner* planes_ = nullptr;     // in ways_; null before the trial
  Evaluation factor_evaluation_;            // last evaluation of factor blocks
  int active_ = kExamples;                  // way that makes the next pass
  int ran_ = kExamples;                     // way that made the last pass
  int evaluated_way_ = kExamples;           // way of the last evaluation
  bool keeps_point_ = false;
  Index passes_ = 0;                     // passes of example blocks
  std::int64_t work_before_lambda_ = 0;  // work of example blocks before this λ
  std::int64_t turn_began_ = 0;          // work of the active way at the beginning of its turn
  std::int64_t turn_ = 0;                // work of the turn
  bool checked_in_turn_ = false;         // whether a check fell into the turn (factor blocks only)
  double primal_;                        // smallest upper bound, without the newest check
  double checked_primal_;                // smallest upper bound, with the newest check
  double optimism_ = 1;          // largest certified / estimated gap of example blocks, without …
  double checked_optimism_ = 1;  // … and with the newest check
};

}  // namespace

std::unique_ptr<Learner> MakeRaceLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<RaceLearner>(problem, options);
}

}  // namespace slackline::internal
