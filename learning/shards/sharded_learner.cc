// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/sharded_learner.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <slackline/learning/example_blocks/active_set_rounds.h>
#include <slackline/learning/example_blocks/evaluated_point.h>
#include <slackline/learning/shards/active_set_shard.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/proximal_control.h>

namespace slackline::internal {
namespace {

class ShardedLearner : public RoundLearner, public CheckAdvisor {
 public:
  ShardedLearner(const Problem& problem, const TrainOptions& options)
      : RoundLearner(problem, options, MakerOf<ActiveSetShard>(options)),
        in_windows_(problem.data().WindowEnds().size() > 1),
        point_(options.proximal != Switch::kOff, [this](Index m, std::vector<double>* coordinates) {
          return NewestPoint(m, coordinates);
        }) {
    traits_.advisor = this;
    if (options.proximal != Switch::kOff) BeginCentre();
    CountAll();
  }

  void RunPass(const StopControl& stop) override {
    MakePass(stop, [&](const Visitor& visit) {
      const VisitProgress total = VisitWorthwhile(Visits::kCallOracle, visit);
      rounds_.Run(total, stop, [&] { return VisitWorthwhile(Visits::kActiveSets, visit); });
    });
    if (!stop.ShouldStop()) AdaptCentre();
    if (++pass_ % ActiveSetBlocks::kRebuildEvery == 0) Rebuild();
    CountAll();
  }

  Evaluation Evaluate(int threads) override {
    // Data in windows are read once, as without shards (ActiveSetLearner). Ranks may differ in this
    // choice: both ways exchange the same vectors.
    const bool at_once = in_windows_ && kappa() > 0 && threads == 1;
    double hinge = 0;
    const double loss = at_once ? PointWeightsAndHinge(&hinge) : PointWeights(&evaluated_);
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    evaluation.problem = Certified();
    evaluation.dual = point_.Evaluate(problem_.data(), loss, regulariser, kappa());
    if (kappa() > 0) {
      evaluated_.assign(reached().begin(), reached().end());
    }
    if (!at_once) hinge = MeanHinge(evaluated_, threads);
    evaluation.primal = Regulariser(problem_.lambda(), evaluated_) + hinge;
    const std::int64_t before = counts().checks;
    CountAll();
    check_work_ = counts().checks - before;
    work_at_check_ = Work();
    return evaluation;
  }

  bool CheckIsCheap() const override { return Work() - work_at_check_ >= 2 * check_work_; }
  double GapEstimate() const override { return sum_of_bounds_ / plan_.num_examples + centre_gap_; }
  void KeepDualPoint() override { point_.Keep(problem_.size()); }
  bool DualPointIsBest() const override { return point_.is_best(); }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = point_.Read(problem_.data(), m, coordinates);
    return true;
  }

  void ChangeLambda(const Problem& problem) override {
    // Ψα and its regulariser are proportional to 1/λ.
    std::vector<double> weights;
    const double loss = PointWeights(&weights);
    const double share = BestShare(
        loss, Regulariser(problem_.lambda(), weights) * problem_.lambda() / problem.lambda());
    problem_ = problem;
    for (Index k = 0; k < plan_.count(); ++k) shard(k).ChangeLambda(problem.lambda(), share);
    point_.Forget();
    rounds_ = ActiveSetRounds();
    control_ = ProximalControl();
    pass_ = 0;
    RebuildForLambda();
    if (options_.proximal != Switch::kOff && kappa() == 0) BeginCentre();
    CountAll();
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("shards");
    ArchiveRounds(archive, [&] {
      centre_.Archive(problem_.num_weights(), problem_.lambda(), archive);
      archive->FiniteReal(&centre_gap_);
      control_.Archive(archive);
      for (std::int64_t* count : {&check_work_, &work_at_check_}) archive->Count(count);
      archive->Passes(&pass_);
      rounds_.Archive(archive);
      EvaluatedPoint::Loading point = point_.ArchiveHead(problem_.size(), archive);
      for (Index k = 0; k < plan_.count(); ++k) {
        archive->Part();
        shards_[k]->Archive(archive);
        for (Index m = plan_.range(k).begin; m < plan_.range(k).end; ++m)
          point_.ArchiveExample(problem_.data(), m, archive, &point);
      }
      if (archive->loading()) point_.EndLoading(std::move(point));
    });
    if (archive->loading()) CountAll();
  }

 private:
  using Visits = ActiveSetShard::Visits;

  const ActiveSetShard& shard(Index k) const {
    return static_cast<const ActiveSetShard&>(*shards_[k]);
  }
  ActiveSetShard& shard(Index k) { return static_cast<ActiveSetShard&>(*shards_[k]); }
  /// Calls read on all shards of all ranks; the values are in the order of the shards.
  template <class Read>
  auto OfAll(const Read& read) const {
    return OfAllShards(
        [&](const Shard& one) { return read(static_cast<const ActiveSetShard&>(one)); });
  }

  /// PointWeights of evaluated_, and MeanHinge at the weights that steps have reached, in one sweep
  /// over the examples of each shard.
  double PointWeightsAndHinge(double* hinge) {
    std::vector<double> hinges(shards_.size());
    const double loss = PointWeights(
        [&](std::size_t k, std::vector<double>* part) {
          return shard(static_cast<Index>(k)).WeightsAndHinges(reached(), part, &hinges[k]);
        },
        &evaluated_);
    hinges = GatherFromShards(std::span<const double>(hinges));
    *hinge = std::accumulate(hinges.begin(), hinges.end(), 0.0) / num_examples();
    return loss;
  }

  /// Adds up the counts and gaps of all shards.
  void CountAll() {
    CountWork();
    sum_of_bounds_ = 0;
    for (const double bound : OfAll([](const auto& one) { return one.gaps().SumOfBounds(); }))
      sum_of_bounds_ += bound;
  }

  /// Visits the examples of all shards whose gap or spread is worth a visit.
  VisitProgress VisitWorthwhile(Visits visits, const Visitor& visit) {
    const double mean = MeanFor(visits);
    // Except in the first pass, the next pass knows all gaps even if this one reaches few examples.
    const bool first = visits == Visits::kCallOracle && !std::isfinite(mean);
    return visit([&](Shard& one) { static_cast<ActiveSetShard&>(one).Choose(visits, mean); },
                 first ? Until::kAllDone : Until::kHalfDone);
  }

  /// The mean of the gaps or spreads of all shards.
  double MeanFor(Visits visits) const {
    ExampleGaps::Known known;
    for (const ExampleGaps::Known& of_shard : OfAll([&](const auto& one) {
           return visits == Visits::kCallOracle
                      ? ExampleGaps::Known{one.gaps().Sum(), one.problem().size()}
                      : one.gaps().Spreads(one.blocks());
         })) {
      known.Add(of_shard);
    }
    return known.count > 0 ? known.sum / known.count : 0;
  }

  /// The first κ is that of one chain. Where all weights are frequent, it is P times as large: P
  /// shards correct the same weights at once, like P times as many blocks of one chain.
  void BeginCentre() {
    const double most = MostFirstKappa(problem_.lambda(), scales_, problem_.num_weights());
    const Index more = common_.runs.num_columns() == 0 ? plan_.total : 1;
    MoveCentre(FirstKappaOfAll(most * more));
  }

  void AdaptCentre() {
    if (kappa() == 0) return;
    ExampleGaps::Known gaps;
    for (const ExampleGaps::Known& of_shard :
         OfAll([](const auto& one) { return one.gaps().KnownGaps(); }))
      gaps.Add(of_shard);
    if (gaps.count == 0) return;
    centre_gap_ = centre_.Gap(problem_.lambda(), common_.values);
    const std::optional<double> next =
        control_.AfterPass(problem_.lambda(), kappa(), gaps.sum / gaps.count, centre_gap_);
    if (!next) return;
    MoveCentre(*next);
    if (*next == 0) centre_gap_ = 0;
  }

  const bool in_windows_;  // the data of this rank do not fit in memory
  EvaluatedPoint point_;
  ProximalControl control_;
  ActiveSetRounds rounds_;
  double centre_gap_ = 0;
  Index pass_ = 0;
  std::int64_t check_work_ = 0;     // of the last evaluation
  std::int64_t work_at_check_ = 0;  // of all passes before it
  double sum_of_bounds_ = 0;        // on all gaps
};

}  // namespace

std::unique_ptr<RoundLearner> MakeShardedLearner(const Problem& problem,
                                                 const TrainOptions& options) {
  return std::make_unique<ShardedLearner>(problem, options);
}

}  // namespace slackline::internal
