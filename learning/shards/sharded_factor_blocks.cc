// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/sharded_factor_blocks.h>

#include <algorithm>
#include <array>
#include <vector>

#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/lagrangian_learner.h>
#include <slackline/learning/factor_blocks/soft_learner.h>
#include <slackline/learning/shards/factor_shard.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {
namespace {

/// The engine of SoftLearner and LagrangianLearner in shards.
class ShardedFactorLearner : public RoundLearner, public CheckAdvisor {
 public:
  ShardedFactorLearner(const Problem& problem, const TrainOptions& options, bool multipliers)
      : RoundLearner(problem, options, MakerOf<FactorShard>(options, multipliers)),
        shrinks_(multipliers && !uniform_order() &&
                 options.own<AugmentedLagrangianOptions>().shrinking != Switch::kOff),
        mixture_(problem.lambda()) {
    bool globals = false;
    for (Index k = 0; k < plan_.count(); ++k)
      globals = globals || shard(k).blocks().globals().count() > 0;
    with_globals_ = ranks_.Any(globals);
    traits_.advisor = this;
  }

  Evaluation Evaluate(int threads) override {
    checked_at_ = pass_;
    PenalizedPoint point = {.num_examples = static_cast<double>(num_examples()),
                            .rho = rho_,
                            .smoothing = options_.smoothing};
    point.loss = MixFeasiblePoints() * (1 / point.num_examples);
    keeping_.AfterCheck();
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
  void KeepDualPoint() override { keeping_.Begin(); }
  bool DualPointIsBest() const override { return mixture_.size() > 0 && keeping_.keeps(); }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    for (Index k = 0; k < plan_.count(); ++k) {
      shard(k).ChangeLambda(problem.lambda());
      shard(k).ReadBest(false);
    }
    shrinking_.Restart();
    mixture_ = DualMixture(problem.lambda());
    keeping_.Restart();
    pass_ = checked_at_ = 0;
    RebuildForLambda();
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("shards of factor blocks");
    ArchiveRounds(archive, [&] {
      archive->PositiveReal(&rho_);
      centre_.Archive(problem_.num_weights(), problem_.lambda(), archive);
      mixture_.Archive(problem_.num_weights(), archive);
      archive->Passes(&pass_);
      archive->Passes(&checked_at_);
      shrinking_.Archive(archive);
      ArchiveControl(archive);
      const bool known = keeping_.Archive(archive);
      for (Index k = 0; k < plan_.count(); ++k) {
        archive->Part();
        shard(k).Archive(archive);
        if (archive->loading()) shard(k).ForgetPoints();
        if (known) shard(k).ArchivePoints(mixture_.size(), archive);
      }
      for (Index k = 0; archive->loading() && k < plan_.count(); ++k) {
        if (!keeping_.keeps()) shard(k).ForgetPoints();
        shard(k).ReadBest(DualPointIsBest());
      }
    });
  }

 protected:
  // As for FactorLearner.

  void set_rho(double rho) {
    rho_ = rho;
    for (Index k = 0; k < plan_.count(); ++k) shard(k).blocks().set_rho(rho);
  }
  void set_smoothing(double smoothing) {
    for (Index k = 0; k < plan_.count(); ++k) shard(k).blocks().set_smoothing(smoothing);
  }
  double penalty_scale() const {
    return PenaltyScale(problem_.lambda(), scales_.mean_squared_range, num_examples());
  }
  Index pass() const { return pass_; }
  bool uniform_order() const { return options_.order == OrderKind::kUniform; }

  void StepBlocks(const FactorPass& pass, const StopControl& stop) {
    const bool all = shrinks_ && shrinking_.VisitsAll();
    const PairVisits pairs = all        ? PairVisits::kAllAndChooseActive
                             : shrinks_ ? PairVisits::kActive
                                        : PairVisits::kAll;
    rho_ = pass.rho;
    MakePass(stop, [&](const Visitor& visit) {
      visit([&](Shard& one) { static_cast<FactorShard&>(one).Choose(pass, pairs); },
            Until::kAllDone);
    });
    if (!all) return;
    ActivePairs::Counts sum;
    for (const ActivePairs::Counts& of_shard : OfAllShards([](const Shard& one) {
           return static_cast<const FactorShard&>(one).active_counts();
         })) {
      sum.active += of_shard.active;
      sum.woken += of_shard.woken;
    }
    shrinking_.AfterAll(sum);
  }
  double StrengthOfCentre(double most) { return FirstKappaOfAll(most); }
  void FinishPass() {
    if (++pass_ % FactorLearner::kRebuildEvery == 0) {
      for (Index k = 0; k < plan_.count(); ++k) shard(k).blocks().RebuildMarginals();
      Rebuild();
    }
    CountWork();
  }

  virtual void ArchiveControl(StateArchive* /*archive*/) {}

 private:
  FactorShard& shard(Index k) { return static_cast<FactorShard&>(*shards_[k]); }

  /// Sets evaluated_ to Ψμ, and adds feasible points to the mixture. Returns Σ Δ·μ.
  double MixFeasiblePoints() {
    const bool keeps = keeping_.keeps();
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

  bool shrinks_;
  ShrinkSchedule shrinking_;
  DualMixture mixture_;
  bool with_globals_ = false;  // some example of some rank has global factors
  double rho_ = 1;
  Index pass_ = 0;
  Index checked_at_ = 0;  // pass_ at the last evaluation
  PointKeeping keeping_;
};

}  // namespace

std::unique_ptr<RoundLearner> MakeShardedSoftLearner(const Problem& problem,
                                                     const TrainOptions& options) {
  return std::make_unique<SoftLearner<ShardedFactorLearner>>(problem, options);
}

std::unique_ptr<RoundLearner> MakeShardedLagrangianLearner(const Problem& problem,
                                                           const TrainOptions& options) {
  return std::make_unique<LagrangianLearner<ShardedFactorLearner>>(problem, options);
}

}  // namespace slackline::internal
