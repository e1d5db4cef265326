// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/sharded_frank_wolfe.h>

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/step/active_set.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/dual_points.h>

namespace slackline::internal {
namespace {

constexpr Index kPassesPerSharedRebuild = 64;  // passes

/// A shard whose rounds are one oracle call for each of its examples, all at the common weights.
class CornerShard : public Shard {
 public:
  CornerShard(const Problem& problem, const TrainOptions& options, Index total,
              const CommonWeights* common)
      : Shard(problem, total, common),
        evaluator_(problem, CheckingOracle(options)),
        oracle_(OracleOfPasses(problem, options, &evaluator_, &inexact_)),
        points_(problem),
        corners_(problem),
        warm_(problem.size()),
        copy_(Size(problem.num_weights()), 0.0) {
    chosen_.resize(problem.size());
    std::iota(chosen_.begin(), chosen_.end(), Index{0});
    next_ = chosen_.size();
    SetCopy(copy_);
  }

  /// Chooses whether the next round calls the oracle for all examples or takes the known corners.
  void Choose(bool known) {
    next_ = 0;
    known_ = known;
    bounds_ = 0;
  }

  void SetSteps(double /*kappa*/, double caution) override { caution_ = caution; }

  void RunPart(std::int64_t /*most_work*/, const StopControl& stop) override {
    const std::int64_t begin = sweep_work_;
    for (; next_ < chosen_.size() && !stop.ShouldStop(); ++next_) {
      const Index m = chosen_[next_];
      problem_.data().PrefetchSweep(0, m, problem_.size());
      if (!known_) {
        ++oracle_calls_;
        const Corner corner = oracle_->Maximise(m, common_->values, &warm_[m]);
        corners_.Set(m, corner.coordinates, corner.loss);
        bounds_ += corner.upper_bound;
      }
      Turn(m);
    }
    round_work_ += sweep_work_ - begin;
  }

  ShardChange Change() const override {
    return {.slope = (corners_.TotalLoss() - points_.TotalLoss()) / total_};
  }

  void KeepShare(double share) override {
    points_.Mix(share, corners_);
    steps_ += problem_.size();
  }

  void ForgetRound() override {}

  bool relaxed() override { return evaluator_.oracle().relaxed(); }
  Counts counts() const override { return {oracle_calls_, steps_, sweep_work_, 0}; }

  double SumOfHinges(std::span<const double> weights, int threads) override {
    return evaluator_.MeanBound(weights, warm_, threads) * problem_.size();
  }
  double WeightsOfPoint(std::vector<double>* weights) const override {
    weights->assign(Size(problem_.num_weights()), 0.0);
    points_.AddFeatures(problem_, 1 / lambda_m(), *weights);
    return TotalLoss() / total_;
  }
  double PointOfExample(Index m, std::vector<double>* coordinates) const override {
    return points_.Read(problem_.data().example(m), m, 1, coordinates);
  }

  /// Σ_m Δ_m·μ_m.
  double TotalLoss() const { return points_.TotalLoss(); }
  /// The sum over the examples of the bounds on max H_m from the last round's oracle calls.
  double SumOfBounds() const { return bounds_; }

  void ChangeLambda(double lambda) {
    problem_ = problem_.WithLambda(lambda);
    evaluator_.set_problem(problem_);
    if (inexact_) inexact_->set_problem(problem_);
    oracle_calls_ = steps_ = 0;
  }
  void ScalePoints(double share) { points_.Scale(share); }

  void Archive(StateArchive* archive) override {
    for (DualPoints* points : {&points_, &corners_}) points->Archive(archive);
    for (WarmStart& warm : warm_) archive->Bytes(&warm.bytes);
    for (std::int64_t* count : {&oracle_calls_, &steps_, &sweep_work_}) archive->Count(count);
  }

 private:
  double lambda_m() const { return problem_.lambda() * total_; }

  /// Adds the direction of example m to the copy of the weights.
  void Turn(Index m) {
    const ExampleView example = problem_.data().example(m);
    TakeColumns(example);
    points_.Towards(m, std::as_const(corners_).coordinates(m), &direction_);
    ScatterFeatures(example, direction_, caution_ / lambda_m(), copy_);
    NoteChanges();
    if (known_) return;
    sweep_work_ +=
        kVisitWork + 2 * static_cast<std::int64_t>(direction_.size()) + SweepEntries(example) / 2;
  }

  ExampleEvaluator evaluator_;
  std::optional<ExampleOracle> inexact_;  // of the passes
  ExampleOracle* oracle_;                 // of the passes
  DualPoints points_;
  DualPoints corners_;
  std::vector<WarmStart> warm_;
  std::vector<double> copy_;
  std::vector<double> direction_;
  double caution_ = 1;
  bool known_ = false;
  double bounds_ = 0;
  std::int64_t oracle_calls_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t sweep_work_ = 0;
};

class ShardedFrankWolfeLearner : public RoundLearner, public CheckAdvisor {
 public:
  ShardedFrankWolfeLearner(const Problem& problem, const TrainOptions& options)
      : RoundLearner(problem, options) {
    MakeShards([&](const Problem& of_shard, Index) {
      return std::make_unique<CornerShard>(of_shard, options, num_examples(), &common_);
    });
    traits_.advisor = this;
    Distribute();
    CountWork();
  }

  void RunPass(const StopControl& stop) override {
    if (!swept_ && !Sweep(stop)) return;
    EndWholeRound();
    swept_ = false;
    if (++pass_ % kPassesPerSharedRebuild == 0) Rebuild();
    Sweep(stop);
  }

  Evaluation Evaluate(int threads) override {
    const double loss = PointWeights(&evaluated_);
    Evaluation evaluation;
    evaluation.problem = Certified();
    evaluation.dual = loss - Regulariser(problem_.lambda(), evaluated_);
    if (best_.empty()) {
      evaluation.primal =
          Regulariser(problem_.lambda(), evaluated_) + MeanHinge(evaluated_, threads);
    } else {
      evaluated_ = best_;
      evaluation.primal = best_primal_;
    }
    return evaluation;
  }

  double GapEstimate() const override { return best_.empty() ? kNone : best_primal_ - dual_; }

  bool DualPointIsBest() const override { return true; }

  void ChangeLambda(const Problem& problem) override {
    if (swept_) AbandonRound();
    problem_ = problem;
    for (Index k = 0; k < plan_.count(); ++k) shard(k).ChangeLambda(problem.lambda());
    std::vector<double> weights;
    const double loss = PointWeights(&weights);
    const double share = BestShare(loss, Regulariser(problem_.lambda(), weights));
    for (Index k = 0; k < plan_.count(); ++k) shard(k).ScalePoints(share);
    best_.clear();
    best_primal_ = dual_ = 0;
    swept_ = false;
    pass_ = 0;
    ForgetRounds();
    Rebuild();
    CountWork();
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("shards of corners");
    ArchiveRounds(archive);
    archive->FiniteList(&best_);
    archive->Require(best_.empty() || best_.size() == common_.values.size(),
                     "the weights have another length");
    for (double* value : {&best_primal_, &dual_}) archive->FiniteReal(value);
    archive->Flag(&swept_);
    archive->Passes(&pass_);
    ArchiveShards(archive);
    if (!archive->loading()) return;
    if (swept_) {
      const StopControl never(nullptr, 0);
      StartRound(never, true);
    }
    CountWork();
  }

 private:
  CornerShard& shard(Index k) { return static_cast<CornerShard&>(*shards_[k]); }

  /// known: whether the corners are known already.
  bool StartRound(const StopControl& stop, bool known) {
    return BeginWholeRound([known](Shard& one) { static_cast<CornerShard&>(one).Choose(known); },
                           stop);
  }

  /// Calls the oracles of all examples at the newest weights. Returns false when `stop` ended the
  /// sweep; the state is then as before the sweep.
  bool Sweep(const StopControl& stop) {
    swept_ = StartRound(stop, false);
    if (!swept_) AbandonRound();
    CountWork();
    if (!swept_) return false;
    struct Sums {
      double bounds, loss;
    };
    double hinges = 0;
    double loss = 0;
    for (const Sums& sums : OfAllShards([](const Shard& one) {
           const auto& corners = static_cast<const CornerShard&>(one);
           return Sums{corners.SumOfBounds(), corners.TotalLoss()};
         })) {
      hinges += sums.bounds;
      loss += sums.loss;
    }
    const double regulariser = Regulariser(problem_.lambda(), common_.values);
    const double primal = regulariser + hinges / num_examples();
    dual_ = loss / num_examples() - regulariser;
    // Checks give a better bound than inexact passes.
    if (HasInexactPasses(options_)) return true;
    if (best_.empty() || primal < best_primal_) {
      best_ = common_.values;
      best_primal_ = primal;
    }
    return true;
  }

  std::vector<double> best_;  // of all iterates whose primal is known; empty before the first
  double best_primal_ = 0;
  double dual_ = 0;     // at the last sweep
  bool swept_ = false;  // the corners of the shards belong to the newest weights
  Index pass_ = 0;
};

}  // namespace

std::unique_ptr<RoundLearner> MakeShardedFrankWolfeLearner(const Problem& problem,
                                                           const TrainOptions& options) {
  return std::make_unique<ShardedFrankWolfeLearner>(problem, options);
}

}  // namespace slackline::internal
