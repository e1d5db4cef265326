// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/sharded_points.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <slackline/learning/example_blocks/point_blocks.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/standalone/prox_regulariser.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

class PointShard : public Shard {
 public:
  PointShard(const Problem& problem, const TrainOptions& options, const PointBlocks::Terms& terms,
             Index total, Index number, const CommonWeights* common)
      : Shard(problem, total, common),
        oracle_(problem, PassingOracle(options)),
        blocks_(problem, terms, &oracle_),
        visits_(OptionsOfShard(options, number), problem.data()),
        evaluator_(problem, CheckingOracle(options)) {
    blocks_.JoinShards(total, 1);
    SetCopy(blocks_.shared_weights());
  }

  /// Chooses the examples of a pass.
  void Choose() {
    const std::span<const Index> order = visits_.Examples(&drawn_);
    chosen_.assign(order.begin(), order.end());
    next_ = 0;
  }

  void SetSteps(double /*kappa*/, double caution) override { blocks_.JoinShards(total_, caution); }

  void BeginRound() override {
    Shard::BeginRound();
    visited_.clear();
    before_.clear();
  }

  void RunPart(std::int64_t most_work, const StopControl& stop) override {
    const auto visit = [&](std::size_t k) {
      const Index m = chosen_[k];
      const ExampleView example = problem_.data().example(m);
      TakeColumns(example);
      if (blocks_.terms().l1 > 0) ThresholdColumns();
      if (FirstVisit(m)) Remember(m);
      if (blocks_.Visit(m)) NoteChanges();
    };
    VisitChosen(
        most_work, stop, [&] { return blocks_.work(); }, visit);
  }

  ShardChange Change() const override {
    const double gamma = blocks_.terms().smoothing;
    ShardChange change;
    for (const Visited& visited : visited_) {
      change.slope += blocks_.points().loss(visited.m) - visited.loss;
      const double* const before = before_.data() + visited.marginals;
      const std::span<const double> mu = blocks_.marginals(visited.m);
      for (std::size_t s = 0; s < mu.size(); ++s) {
        const double d = mu[s] - before[s];
        change.slope -= gamma * before[s] * d;
        change.curvature += gamma * d * d;
      }
    }
    change.slope /= total_;
    change.curvature /= total_;
    return change;
  }

  void TakeFrequent() override {
    Shard::TakeFrequent();
    if (blocks_.terms().l1 == 0) return;
    for (const WeightRun& run : common_->runs.frequent()) blocks_.Replaced(run.begin, run.count);
  }
  void TakeWeights() override {
    Shard::TakeWeights();
    blocks_.Replaced();
  }

  void KeepShare(double share) override {
    for (const Visited& visited : visited_) {
      if (share == 1) break;
      DualPoints& points = blocks_.points();
      const auto mix = [share](std::span<double> values, const double* before) {
        for (std::size_t k = 0; k < values.size(); ++k)
          values[k] = before[k] + share * (values[k] - before[k]);
      };
      mix(points.coordinates(visited.m), before_.data() + visited.coordinates);
      mix(blocks_.marginals(visited.m), before_.data() + visited.marginals);
      points.set_loss(visited.m, visited.loss + share * (points.loss(visited.m) - visited.loss));
    }
    visited_.clear();
  }

  bool relaxed() override { return oracle_.relaxed(); }
  Counts counts() const override {
    return {blocks_.oracle_calls(), blocks_.steps(), blocks_.work(), evaluator_.work()};
  }
  double SumOfHinges(std::span<const double> weights, int threads) override {
    const PointBlocks::Hinges hinges = blocks_.MeanHinges(weights, &evaluator_, threads);
    return (hinges.mean + hinges.rest) * problem_.size();
  }
  double WeightsOfPoint(std::vector<double>* weights) const override {
    weights->assign(Size(problem_.num_weights()), 0.0);
    blocks_.points().AddFeatures(problem_, 1 / (problem_.lambda() * total_), *weights);
    return blocks_.TotalValue() / total_;
  }
  double PointOfExample(Index m, std::vector<double>* coordinates) const override {
    blocks_.points().Read(problem_.data().example(m), m, 1, coordinates);
    return blocks_.Value(m);
  }

  /// Sets λ of the shard and its blocks, but changes neither the points nor the weights.
  void ChangeLambda(double lambda) {
    problem_ = problem_.WithLambda(lambda);
    oracle_.set_problem(problem_);
    evaluator_.set_problem(problem_);
    blocks_.ChangeProblem(problem_);
  }
  PointBlocks& blocks() { return blocks_; }
  const PointBlocks& blocks() const { return blocks_; }

  void Archive(StateArchive* archive) override {
    visits_.Archive(archive);
    blocks_.Archive(archive);
    std::int64_t work = blocks_.work();
    archive->Count(&work);
    if (archive->loading()) blocks_.set_work(work);
  }

 private:
  /// A visited example's point before the first visit of the round: its loss, and the places of its
  /// coordinates and marginals in before_.
  struct Visited {
    Index m = 0;
    double loss = 0;
    std::size_t coordinates = 0;
    std::size_t marginals = 0;
  };
  void Remember(Index m) {
    const std::span<const double> coordinates = std::as_const(blocks_).points().coordinates(m);
    const std::span<const double> marginals = blocks_.marginals(m);
    const std::size_t begin = before_.size();
    visited_.push_back({m, blocks_.points().loss(m), begin, begin + coordinates.size()});
    before_.insert(before_.end(), coordinates.begin(), coordinates.end());
    before_.insert(before_.end(), marginals.begin(), marginals.end());
  }
  void ThresholdColumns() {
    for (const WeightRuns::ColumnList::Entry& entry : listed_columns())
      blocks_.Replaced(entry.begin, entry.count);
  }

  ExampleOracle oracle_;
  PointBlocks blocks_;
  ExampleVisits visits_;
  ExampleEvaluator evaluator_;
  std::vector<Index> drawn_;
  std::vector<Visited> visited_;
  std::vector<double> before_;
};

class ShardedPointLearner : public RoundLearner, public CheckListener {
 public:
  ShardedPointLearner(const Problem& problem, const TrainOptions& options,
                      const PointBlocks::Terms& terms)
      : RoundLearner(problem, options, MakerOf<PointShard>(options, terms)), terms_(terms) {
    if (terms.l1 > 0 || terms.smoothing > 0) traits_.listener = this;
    if (terms.smoothing > 0) {
      smoothing_range_ =
          SumOverShards([](const Shard& shard) { return SmoothingRange(shard.problem()); });
    }
  }

  void RunPass(const StopControl& stop) override {
    MakePass(stop, [](const Visitor& visit) {
      visit([](Shard& shard) { static_cast<PointShard&>(shard).Choose(); }, Until::kAllDone);
    });
    if (++pass_ % PointBlocks::kRebuildEvery == 0) Rebuild();
    CountWork();
  }

  Evaluation Evaluate(int threads) override {
    const double value = PointWeights(&evaluated_);
    double one_norm = 0;
    if (terms_.l1 > 0) {
      SoftThreshold(evaluated_, threshold());
      for (const double x : evaluated_) one_norm += std::abs(x);
    }
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    evaluation.problem = Certified();
    evaluation.dual = value - regulariser;
    evaluation.primal = terms_.l1 * one_norm + regulariser + MeanHinge(evaluated_, threads);
    CountWork();
    return evaluation;
  }

  std::string Adapt(const Evaluation& /*evaluation*/) override {
    if (note_made_) return {};
    note_made_ = true;
    return ProxObjectiveNote(options_);
  }

  ObjectiveScales Scales() const override {
    ObjectiveScales scales = RoundLearner::Scales();
    scales.primal_at_zero += 0.5 * terms_.smoothing * smoothing_range_ / num_examples();
    return scales;
  }

  bool DualPointIsBest() const override { return true; }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    for (Index k = 0; k < plan_.count(); ++k) shard(k).ChangeLambda(problem.lambda());
    std::vector<double> v;
    PointWeights(&v);
    PointBlocks::MixtureTerms sums;
    for (const PointBlocks::MixtureTerms& of_shard : OfAllShards([](const Shard& one) {
           return static_cast<const PointShard&>(one).blocks().SumOfTerms();
         })) {
      sums.loss += of_shard.loss;
      sums.linear += of_shard.linear;
      sums.square += of_shard.square;
    }
    const double share =
        PointBlocks::BestMixture(sums, v, terms_, problem.lambda(), num_examples());
    for (Index k = 0; k < plan_.count(); ++k) shard(k).blocks().ScalePoints(share);
    pass_ = 0;
    RebuildForLambda();
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("shards of points");
    ArchiveRounds(archive, [&] {
      archive->Passes(&pass_);
      archive->Flag(&note_made_);
      for (const auto& shard : shards_) {
        archive->Part();
        shard->Archive(archive);
      }
    });
  }

 private:
  double threshold() const override { return terms_.l1 / problem_.lambda(); }
  PointShard& shard(Index k) { return static_cast<PointShard&>(*shards_[k]); }

  PointBlocks::Terms terms_;
  double smoothing_range_ = 0;
  Index pass_ = 0;
  bool note_made_ = false;
};

}  // namespace

std::unique_ptr<RoundLearner> MakeShardedBcfwLearner(const Problem& problem,
                                                     const TrainOptions& options) {
  return std::make_unique<ShardedPointLearner>(problem, options, PointBlocks::Terms());
}

std::unique_ptr<RoundLearner> MakeShardedProxSdcaLearner(const Problem& problem,
                                                         const TrainOptions& options) {
  return std::make_unique<ShardedPointLearner>(problem, options, TermsOf(problem, options));
}

}  // namespace slackline::internal
