// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/sharded_factor_blocks.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/soft.h>
#include <slackline/learning/shards/factor_shard.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {
namespace {

class ShardedFactorLearner : public RoundLearner, public CheckAdvisor {
 public:
  ShardedFactorLearner(const Problem& problem, const TrainOptions& options, bool multipliers)
      : RoundLearner(problem, options), mixture_(problem.lambda()) {
    MakeShards([&](const Problem& of_shard, Index number) {
      return std::make_unique<FactorShard>(of_shard, options, multipliers, num_examples(), number,
                                           &common_);
    });
    bool globals = false;
    for (Index k = 0; k < plan_.count(); ++k)
      globals = globals || shard(k).blocks().globals().count() > 0;
    with_globals_ = ranks_.Any(globals);
    traits_.advisor = this;
    Distribute();
    CountWork();
  }

  Evaluation Evaluate(int threads) override {
    checked_at_ = pass_;
    PenalizedPoint point = {.num_examples = static_cast<double>(num_examples()),
                            .rho = rho_,
                            .smoothing = options_.smoothing};
    point.loss = MixFeasiblePoints() * (1 / point.num_examples);
    if (!keeps_points_) evaluations_unkept_ = true;
    for (Index k = 0; k < plan_.count(); ++k) shard(k).ReadBest(DualPointIsBest());
    point.point_regulariser = Regulariser(problem_.lambda(), evaluated_);
    if (kappa() > 0) evaluated_.assign(reached().begin(), reached().end());
    point.regulariser = Regulariser(problem_.lambda(), evaluated_);
    PointSums sums;
    for (const PointSums& of_shard : OfAllShards([&](const Shard& one) {
           return SumAtPoint(static_cast<const FactorShard&>(one).blocks(), evaluated_, threads);
         }))
      sums.Merge(of_shard);
    return EvaluationOf(FiguresOf(sums, point), Certified(), mixture_.value(), rho_);
  }

  /// As for FactorLearner.
  bool CheckIsCheap() const override {
    return pass_ - checked_at_ >= FactorLearner::kPassesPerCheck;
  }
  void KeepDualPoint() override { keeps_points_ = true; }
  bool DualPointIsBest() const override {
    return keeps_points_ && mixture_.size() > 0 && !evaluations_unkept_;
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    for (Index k = 0; k < plan_.count(); ++k) {
      shard(k).ChangeLambda(problem.lambda());
      shard(k).ReadBest(false);
    }
    mixture_ = DualMixture(problem.lambda());
    evaluations_unkept_ = false;
    pass_ = checked_at_ = 0;
    ForgetRounds();
    centre_.Leave();
    Rebuild();
    CountWork();
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("shards of factor blocks");
    ArchiveRounds(archive);
    archive->PositiveReal(&rho_);
    centre_.Archive(problem_.num_weights(), problem_.lambda(), archive);
    mixture_.Archive(problem_.num_weights(), archive);
    archive->Passes(&pass_);
    archive->Passes(&checked_at_);
    bool known = keeps_points_ && !evaluations_unkept_;
    archive->Flag(&known);
    ArchiveControl(archive);
    for (Index k = 0; k < plan_.count(); ++k) {
      archive->Part();
      shard(k).Archive(archive);
      if (archive->loading()) shard(k).ForgetPoints();
      if (known) shard(k).ArchivePoints(mixture_.size(), archive);
    }
    if (!archive->loading()) return;
    evaluations_unkept_ = !(known && keeps_points_);
    for (Index k = 0; k < plan_.count(); ++k) {
      if (evaluations_unkept_) shard(k).ForgetPoints();
      shard(k).ReadBest(DualPointIsBest());
    }
    evaluated_.clear();
    Distribute();
    CountWork();
  }

 protected:
  FactorShard& shard(Index k) { return static_cast<FactorShard&>(*shards_[k]); }
  Index pass() const { return pass_; }  ///< passes done
  void set_rho(double rho) {
    rho_ = rho;
    for (Index k = 0; k < plan_.count(); ++k) shard(k).blocks().set_rho(rho);
  }

  /// Visits every example of every shard once, or makes as many steps on drawn blocks.
  void VisitAll(const FactorPass& pass, const StopControl& stop) {
    rho_ = pass.rho;
    centre_.Leave();
    Visit([&](Shard& one) { static_cast<FactorShard&>(one).Choose(pass); }, Until::kAllDone, stop);
    SettleAll();
  }
  /// To be called at the end of every pass.
  void FinishPass() {
    if (++pass_ % FactorLearner::kRebuildEvery == 0) {
      for (Index k = 0; k < plan_.count(); ++k) shard(k).blocks().RebuildMarginals();
      Rebuild();
    }
    CountWork();
  }

  /// Archives what derived classes add.
  virtual void ArchiveControl(StateArchive* /*archive*/) {}

 private:
  /// Sets evaluated_ to Ψμ, and adds feasible points to the mixture. Returns Σ Δ·μ.
  double MixFeasiblePoints() {
    const bool keeps = keeps_points_ && !evaluations_unkept_;
    const Index count = NumFeasible(with_globals_);
    const Offset length = problem_.num_weights();
    std::vector<double> sums;
    SumOfVectors((1 + count) * length,
                 [&](std::size_t k, std::vector<double>* part) {
                   shard(static_cast<Index>(k)).SumPoints(with_globals_, keeps, part);
                 },
                 &sums);
    std::array<double, 4> losses = {};
    for (const std::array<double, 4>& of_shard : OfAllShards(
             [](const Shard& one) { return static_cast<const FactorShard&>(one).losses(); })) {
      for (std::size_t k = 0; k < losses.size(); ++k) losses[k] += of_shard[k];
    }
    for (Index point = 0; point < count; ++point) {
      const DualMixture::Change change =
          MixFeasible(std::span(sums).subspan(Size((1 + point) * length), Size(length)),
                      losses[1 + Size(point)], num_examples(), &mixture_);
      for (Index k = 0; keeps && k < plan_.count(); ++k) shard(k).MixPoint(point, change);
    }
    evaluated_.assign(sums.begin(), sums.begin() + length);
    return losses[0];
  }

  DualMixture mixture_;
  bool with_globals_ = false;  // some example of some rank has global factors
  double rho_ = 1;
  Index pass_ = 0;
  Index checked_at_ = 0;  // pass_ at the last evaluation
  bool keeps_points_ = false;
  bool evaluations_unkept_ = false;  // the mixture contains points that were not kept
};

class ShardedSoftLearner : public ShardedFactorLearner {
 public:
  ShardedSoftLearner(const Problem& problem, const TrainOptions& options)
      : ShardedFactorLearner(problem, options, /*multipliers=*/false),
        penalty_(options, num_examples()) {
    traits_.stopping_gap = StoppingGap::kSoft;
    set_rho(penalty_.RhoAt(0));
    for (Index k = 0; k < plan_.count(); ++k) shard(k).blocks().set_smoothing(options.smoothing);
  }

  void RunPass(const StopControl& stop) override {
    VisitAll({.rho = penalty_.RhoAt(pass())}, stop);
    FinishPass();
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = ShardedFactorLearner::Evaluate(threads);
    evaluation.provisional = penalty_.provisional(pass());
    return evaluation;
  }

  void ChangeLambda(const Problem& problem) override {
    ShardedFactorLearner::ChangeLambda(problem);
    set_rho(penalty_.RhoAt(0));
  }

 private:
  SoftPenalty penalty_;
};

class ShardedLagrangianLearner : public ShardedFactorLearner, public CheckListener {
 public:
  ShardedLagrangianLearner(const Problem& problem, const TrainOptions& options)
      : ShardedFactorLearner(problem, options, /*multipliers=*/true),
        shrinks_(options.own<AugmentedLagrangianOptions>().shrinking != Switch::kOff &&
                 options.order != OrderKind::kUniform),
        control_(options, Scale(), num_examples()),
        next_kappa_(CentreStrength()) {
    traits_.listener = this;
  }

  void RunPass(const StopControl& stop) override {
    const PenaltySettings& settings = control_.settings();
    const bool uniform = options_.order == OrderKind::kUniform;
    const bool updates = uniform || (pass() + 1) % settings.visits_per_update == 0;
    const bool all = shrinks_ && shrinking_.VisitsAll();
    VisitAll({.rho = settings.rho,
              .eta_step = updates ? settings.tau / settings.rho : 0,
              .visits_per_update = settings.visits_per_update,
              .active_only = shrinks_ && !all,
              .collects = all},
             stop);
    if (all) {
      ActivePairs::Counts sum;
      for (const ActivePairs::Counts& of_shard : OfAllShards([](const Shard& one) {
             return static_cast<const FactorShard&>(one).active_counts();
           })) {
        sum.active += of_shard.active;
        sum.woken += of_shard.woken;
      }
      shrinking_.AfterAll(sum);
    }
    if (next_kappa_ > 0 && !stop.ShouldStop()) MoveCentre(next_kappa_);
    FinishPass();
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = ShardedFactorLearner::Evaluate(threads);
    evaluation.tau = control_.settings().tau;
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    return control_.Adapt(pass(), evaluation);
  }

  void ChangeLambda(const Problem& problem) override {
    ShardedFactorLearner::ChangeLambda(problem);
    shrinking_.Restart();
    control_.ChangeScale(Scale());
    next_kappa_ = CentreStrength();
  }

 private:
  double Scale() const {
    return PenaltyScale(problem_.lambda(), scales_.mean_squared_range, num_examples());
  }
  double CentreStrength() {
    return options_.proximal == Switch::kOff ? 0 : FirstKappaOfAll(LagrangianControl::kCentre);
  }
  void ArchiveControl(StateArchive* archive) override {
    control_.ArchiveSettings(archive);
    control_.ArchiveBest(archive);
    shrinking_.Archive(archive);
  }

  bool shrinks_;
  LagrangianControl control_;
  double next_kappa_;
  ShrinkSchedule shrinking_;
};

}  // namespace

std::unique_ptr<RoundLearner> MakeShardedSoftLearner(const Problem& problem,
                                                     const TrainOptions& options) {
  return std::make_unique<ShardedSoftLearner>(problem, options);
}

std::unique_ptr<RoundLearner> MakeShardedLagrangianLearner(const Problem& problem,
                                                           const TrainOptions& options) {
  return std::make_unique<ShardedLagrangianLearner>(problem, options);
}

}  // namespace slackline::internal
