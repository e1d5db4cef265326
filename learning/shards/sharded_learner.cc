// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/sharded_learner.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <slackline/core/parallel.h>
#include <slackline/core/timer.h>
#include <slackline/learning/example_blocks/active_set_rounds.h>
#include <slackline/learning/example_blocks/evaluated_point.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/shards/common_weights.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/shards/shard_deal.h>
#include <slackline/learning/shards/shard_exchange.h>
#include <slackline/learning/shards/thread_choice.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/proximal_centre.h>
#include <slackline/learning/step/proximal_control.h>

namespace slackline::internal {
namespace {

/// Where some weights are not frequent, a round ends when some shard has visited this share of its
/// chosen examples, or after kMostPerExchange times its share of the work of the last exchange; but
/// never before kLeastPerExchange times that. What an exchange costs grows with what has changed,
/// so that long rounds save little of it; but their visits see little of the other shards.
constexpr double kMostRoundShare = 1.0 / 8;
constexpr double kLeastPerExchange = 4;
constexpr double kMostPerExchange = 40;

/// Work of a shard in a part of a round, in array entries. The least is some 150 µs, many times as
/// long as threads take to wait for each other. Frequent weights move between processors after
/// every part, which takes longer than to compute with them; the more shards, the more a longer
/// part would leave unseen. With many shards an exchange takes each of them some operations per
/// frequent weight, and some per 32 shards for the products of all pairs; a part must take several
/// times as long.
constexpr std::int64_t kLeastPartWork = 60'000;
constexpr std::int64_t kWorkPerFrequent = 60;
constexpr std::int64_t kWorkPerExchanged = 6;
std::int64_t PartWork(Offset frequent, Index shards) {
  const std::int64_t seen = kWorkPerFrequent * frequent / shards;
  const std::int64_t exchanged = kWorkPerExchanged * (frequent + frequent * shards / 32);
  return std::max({kLeastPartWork, seen, exchanged});
}

class ShardedLearner : public ShardedLearnerBase,
                       public DualPointSource,
                       public LambdaFollower,
                       public CheckAdvisor,
                       public ScaleSource {
 public:
  ShardedLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        ranks_(RanksOf(options)),
        plan_(PlanShards(problem.size(), options.shards, ranks_)),
        scales_(JointScalesOf(problem, options)),
        common_(problem.data(), kLeastPartWork, ranks_),
        exchange_(common_.runs, plan_, ranks_),
        threads_(NumThreads(options.threads)),
        choice_(threads_),
        part_work_(PartWork(common_.runs.num_frequent(), plan_.total)),
        point_(options.proximal != Switch::kOff, [this](Index m, std::vector<double>* coordinates) {
          return NewestPoint(m, coordinates);
        }) {
    shards_.resize(plan_.count());
    ParallelChunks(
        plan_.count(), std::max<Index>(1, plan_.count()), threads_, [&](const Chunk& chunk) {
          if (chunk.begin == chunk.end) return;  // there is no shard
          const Index k = chunk.begin;
          shards_[k] = std::make_unique<Shard>(ProblemOfRange(problem, plan_.range(k)), options,
                                               plan_.num_examples, plan_.first + k, &common_);
        });
    traits_.dual_point = this;
    traits_.lambda = this;
    traits_.advisor = this;
    traits_.scales = this;
    Distribute();
    if (options.proximal != Switch::kOff) MoveCentreTo(FirstStrength());
    CountWork();
  }

  void RunPass(const StopControl& stop) override {
    const VisitProgress total = Visit(Shard::Visits::kCallOracle, stop);
    rounds_.Run(total, stop, [&] { return Visit(Shard::Visits::kActiveSets, stop); });
    SettleAll();
    if (!stop.ShouldStop()) MoveCentre();
    if (++pass_ % ActiveSetBlocks::kRebuildEvery == 0) Rebuild();
    CountWork();
  }

  Evaluation Evaluate(int threads) override {
    const double loss = PointWeights(&evaluated_);
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    const bool relaxed = std::any_of(shards_.begin(), shards_.end(),
                                     [](const auto& shard) { return shard->relaxed(); });
    evaluation.problem =
        ranks_.Any(relaxed) ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
    evaluation.dual = point_.Evaluate(problem_.data(), loss, regulariser, kappa());
    if (kappa() > 0) {
      const std::span<const double> reached = centre_.Reached(common_.values);
      evaluated_.assign(reached.begin(), reached.end());
    }
    const double hinges =
        SumOverShards([&](Shard& shard) { return shard.SumOfHinges(evaluated_, threads); });
    evaluation.primal = Regulariser(problem_.lambda(), evaluated_) + hinges / plan_.num_examples;
    const std::int64_t before = counts_.checks;
    CountWork();
    check_work_ = counts_.checks - before;
    work_at_check_ = Work();
    return evaluation;
  }

  std::span<const double> reached() const override { return centre_.Reached(common_.values); }

  ObjectiveScales Scales() const override {
    return {scales_.primal_at_zero, ScoreScale(problem_.lambda(), scales_.mean_squared_range,
                                               scales_.num_parts, scales_.num_examples)};
  }

  bool CheckIsCheap() const override { return Work() - work_at_check_ >= 2 * check_work_; }
  double GapEstimate() const override { return sum_of_bounds_ / plan_.num_examples + centre_gap_; }
  WorkCounts work() const override {
    WorkCounts counts;
    counts.oracle_calls = counts_.oracle_calls;
    counts.block_steps = counts_.steps;
    counts.entries = Work();
    counts.rounds = made_rounds_;
    counts.critical_seconds = critical_seconds_;
    return counts;
  }

  void KeepDualPoint() override { point_.Keep(problem_.size()); }
  bool DualPointIsBest() const override { return point_.is_best(); }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = point_.Read(problem_.data(), m, coordinates);
    return true;
  }

  void ChangeLambda(const Problem& problem) override {
    // Ψα is proportional to 1/λ, and the regulariser of Ψα as well.
    std::vector<double> weights;
    const double loss = PointWeights(&weights);
    const double share = BestShare(
        loss, Regulariser(problem_.lambda(), weights) * problem_.lambda() / problem.lambda());
    problem_ = problem;
    for (const auto& shard : shards_) shard->ChangeLambda(problem.lambda(), share);
    point_.Forget();
    rounds_ = ActiveSetRounds();
    control_ = ProximalControl();
    pass_ = 0;
    made_rounds_ = 0;
    critical_seconds_ = 0;
    centre_.Leave();
    Rebuild();
    if (options_.proximal != Switch::kOff && kappa() == 0) MoveCentreTo(FirstStrength());
    CountWork();
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("shards");
    archive->FiniteReals(common_.values);
    centre_.Archive(problem_.num_weights(), problem_.lambda(), archive);
    exchange_.Archive(archive);
    archive->FiniteReal(&centre_gap_);
    control_.Archive(archive);
    for (std::int64_t* count :
         {&check_work_, &work_at_check_, &exchange_work_, &last_exchange_, &made_rounds_})
      archive->Count(count);
    archive->Passes(&pass_);
    rounds_.Archive(archive);
    EvaluatedPoint::Loading point = point_.ArchiveHead(problem_.size(), archive);
    for (Index k = 0; k < plan_.count(); ++k) {
      archive->Part();
      shards_[k]->Archive(archive);
      for (Index m = plan_.range(k).begin; m < plan_.range(k).end; ++m)
        point_.ArchiveExample(problem_.data(), m, archive, &point);
    }
    if (!archive->loading()) return;
    point_.EndLoading(std::move(point));
    evaluated_.clear();
    Distribute();
    CountWork();
  }

 private:
  double kappa() const { return centre_.kappa(); }
  std::int64_t Work() const { return exchange_work_ + counts_.work; }

  /// read(shard) of all shards of all ranks, in their order. A collective operation.
  template <class Read, class Value = std::invoke_result_t<const Read&, Shard&>>
  std::vector<Value> OfAllShards(const Read& read) const {
    std::vector<Value> values;
    for (const auto& shard : shards_) values.push_back(read(*shard));
    return GatherFromShards(std::span<const Value>(values));
  }
  /// A value of every shard of this rank, given to all ranks.
  template <class Value>
  std::vector<Value> GatherFromShards(std::span<const Value> mine) const {
    std::vector<Value> all(plan_.total);
    std::copy(mine.begin(), mine.end(), all.begin() + plan_.first);
    if (!ranks_.alone()) ranks_.GatherPieces(std::span<Value>(all));
    return all;
  }
  /// The sum of read(shard) in the order of the shards.
  template <class Read>
  double SumOverShards(const Read& read) const {
    const std::vector<double> values = OfAllShards(read);
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  /// Learns the counts of all shards.
  void CountWork() {
    struct ShardCounts {
      Counts counts;
      double bounds;
    };
    counts_ = {};
    sum_of_bounds_ = 0;
    for (const ShardCounts& shard : OfAllShards([](const Shard& one) {
           return ShardCounts{{one.blocks().oracle_calls(), one.blocks().steps(),
                               one.blocks().work(), one.check_work()},
                              one.gaps().SumOfBounds()};
         })) {
      counts_.oracle_calls += shard.counts.oracle_calls;
      counts_.steps += shard.counts.steps;
      counts_.work += shard.counts.work;
      counts_.checks += shard.counts.checks;
      sum_of_bounds_ += shard.bounds;
    }
  }

  /// κ of the first pass, as FirstKappa.
  double FirstStrength() {
    std::vector<double> direction;
    SumOfVectors(
        [&](std::size_t k, std::vector<double>* part) {
          part->assign(Size(problem_.num_weights()), 0.0);
          AddWorstDirection(shards_[k]->problem(), 1.0 / plan_.num_examples, *part);
        },
        &direction);
    return FirstKappa(problem_.lambda(), direction, scales_.primal_at_zero);
  }

  /// Calls work(k) for every shard of this rank, side by side; seconds_ becomes the processor time
  /// of each.
  template <class Work>
  void RunShards(const Work& work) {
    if (shards_.empty()) return;
    const WallTimer timer;
    seconds_.resize(shards_.size());
    ParallelChunks(plan_.count(), plan_.count(), choice_.threads(), [&](const Chunk& chunk) {
      const double begin = ThreadCpuSeconds();
      work(static_cast<std::size_t>(chunk.begin));
      seconds_[chunk.begin] = ThreadCpuSeconds() - begin;
    });
    choice_.Add(timer.Seconds(), std::accumulate(seconds_.begin(), seconds_.end(), 0.0));
  }
  /// The same; the longest one of this rank counts as critical time.
  template <class Work>
  void ForShards(const Work& work) {
    RunShards(work);
    if (!seconds_.empty()) critical_seconds_ += *std::max_element(seconds_.begin(), seconds_.end());
  }

  /// Visits the examples of all shards that are worth it.
  VisitProgress Visit(Shard::Visits visits, const StopControl& stop) {
    const double mean = MeanFor(visits);
    centre_.Leave();
    const std::int64_t before = Work();
    VisitProgress progress;
    bool chosen = false;
    do {
      RunPart(stop, chosen ? nullptr : &mean, visits);
      chosen = true;
      if (!RoundContinues()) {
        progress.gain += EndRound();
      } else {
        // The line search is still to come; caution makes these gains small rather than large.
        for (const PartReport& report : reports_) progress.gain += report.gain * plan_.num_examples;
        Count(exchange_.CombineFrequent(choice_.threads(), shards_, &common_));
      }
    } while (AnyOpen() && !stop.ShouldStop());
    progress.work = Work() - before;
    return progress;
  }

  /// What all ranks learn of every shard after a part of a round.
  struct PartReport {
    std::int64_t round_work = 0;
    double round_share = 0;
    std::int64_t work = 0;  // since the beginning of the run
    double gain = 0;
    double seconds = 0;
    bool done = false;
    StopControl::Wish wish = StopControl::Wish::kGoOn;
  };
  /// Makes a part of a round. mean: if not null, the shards choose examples first (Shard::Choose).
  void RunPart(const StopControl& stop, const double* mean, Shard::Visits visits) {
    RunShards([&](std::size_t k) {
      Shard& shard = *shards_[k];
      if (state_ == RoundState::kRunning) shard.TakeFrequent();
      if (state_ == RoundState::kEnded) Settle(k);
      if (state_ != RoundState::kRunning) shard.BeginRound();
      if (mean != nullptr) shard.Choose(visits, *mean);
      shard.RunPart(part_work_, stop);
    });
    state_ = RoundState::kRunning;
    const StopControl::Wish wish = stop.wish();
    std::vector<PartReport> mine;
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      const Shard& shard = *shards_[k];
      mine.push_back({shard.round_work(), shard.round_share(), shard.blocks().work(),
                      shard.part_gain(), seconds_[k], shard.done(), wish});
    }
    reports_ = GatherFromShards(std::span<const PartReport>(mine));
    counts_.work = 0;
    double longest = 0;
    for (const PartReport& report : reports_) {
      counts_.work += report.work;
      longest = std::max(longest, report.seconds);
      stop.Agree(report.wish);
    }
    if (plan_.total < ranks_.size()) stop.Agree(ranks_);  // ranks without shards have wishes, too
    critical_seconds_ += longest;
  }
  /// A round ends after its first part where all weights are frequent.
  bool RoundContinues() const {
    if (common_.runs.num_columns() == 0) return false;
    const double exchange = static_cast<double>(last_exchange_) / plan_.total;
    return std::all_of(reports_.begin(), reports_.end(), [&](const PartReport& report) {
      const auto work = static_cast<double>(report.round_work);
      return work < kLeastPerExchange * exchange ||
             (work < kMostPerExchange * exchange && report.round_share < kMostRoundShare);
    });
  }
  /// Combines the changes of a round. Returns the gain of the dual, times M.
  double EndRound() {
    double gain = 0;
    const ShardExchange::Cost cost =
        exchange_.Combine(problem_.lambda() + kappa(), choice_.threads(), shards_, &common_, &gain);
    Count(cost);
    last_exchange_ = cost.work;
    state_ = RoundState::kEnded;
    return gain * plan_.num_examples;
  }
  /// Ends an open round, and gives the shards their parts of the last combination.
  void SettleAll() {
    if (state_ == RoundState::kRunning) {
      // The changes of the last part have been added up already.
      ForShards([&](std::size_t k) { shards_[k]->TakeFrequent(); });
      EndRound();
    }
    if (state_ == RoundState::kEnded) ForShards([&](std::size_t k) { Settle(k); });
    state_ = RoundState::kSettled;
  }
  void Count(const ShardExchange::Cost& cost) {
    ++made_rounds_;
    exchange_work_ += cost.work;
    critical_seconds_ += cost.cpu_seconds * ranks_.size() / plan_.total;
  }

  /// The mean of the gaps or spreads of all shards.
  double MeanFor(Shard::Visits visits) const {
    ExampleGaps::Known known;
    for (const ExampleGaps::Known& of_shard : OfAllShards([&](const Shard& shard) {
           return visits == Shard::Visits::kCallOracle
                      ? ExampleGaps::Known{shard.gaps().Sum(), shard.problem().size()}
                      : shard.gaps().Spreads(shard.blocks());
         })) {
      known.Add(of_shard);
    }
    return known.count > 0 ? known.sum / known.count : 0;
  }
  bool AnyOpen() const {
    return std::any_of(reports_.begin(), reports_.end(),
                       [](const PartReport& report) { return !report.done; });
  }

  /// Gives shard k of this rank its part of the last combination.
  void Settle(std::size_t k) {
    shards_[k]->KeepShare(exchange_.shares()[plan_.first + k]);
    shards_[k]->TakeFrequent();
    shards_[k]->SetSteps(kappa(), exchange_.caution());
  }
  /// Gives all shards the weights.
  void Distribute() {
    common_.BeginAgain();
    ForShards([&](std::size_t k) {
      shards_[k]->TakeWeights();
      shards_[k]->SetSteps(kappa(), exchange_.caution());
    });
  }

  void MoveCentre() {
    if (kappa() == 0) return;
    ExampleGaps::Known gaps;
    for (const ExampleGaps::Known& of_shard :
         OfAllShards([](const Shard& shard) { return shard.gaps().KnownGaps(); }))
      gaps.Add(of_shard);
    if (gaps.count == 0) return;
    centre_gap_ = centre_.Gap(problem_.lambda(), common_.values);
    const std::optional<double> next =
        control_.AfterPass(problem_.lambda(), kappa(), gaps.sum / gaps.count, centre_gap_);
    if (!next) return;
    MoveCentreTo(*next);
    if (*next == 0) centre_gap_ = 0;
  }
  void MoveCentreTo(double kappa) {
    centre_.Move(kappa, problem_.lambda(), &common_.values);
    Distribute();
  }

  /// *sum = Σ over all shards, in their order, of the vectors of num_weights() that write(k, &part)
  /// writes for shard k of this rank. As many are computed at once as there are threads; each rank
  /// adds up a piece of the weights.
  template <class Write>
  void SumOfVectors(const Write& write, std::vector<double>* sum) {
    const Ranks::Piece mine = ranks_.PieceOf(problem_.num_weights());
    // With several ranks: the pieces of all shards, one after the other.
    std::vector<double> come(ranks_.alone() ? 0 : Size(plan_.total * mine.size()));
    sum->assign(Size(problem_.num_weights()), 0.0);
    std::vector<std::vector<double>> parts(Size(threads_));
    const Index most = (plan_.total + ranks_.size() - 1) / ranks_.size();  // shards of a rank
    for (Index first = 0; first < most; first += threads_) {
      const Index count = std::clamp<Index>(plan_.count() - first, 0, threads_);
      ParallelChunks(count, std::max<Index>(1, count), threads_, [&](const Chunk& chunk) {
        for (Index k = chunk.begin; k < chunk.end; ++k) write(Size(first + k), &parts[k]);
      });
      for (Index k = 0; k < std::min<Index>(threads_, most - first); ++k) {
        if (!ranks_.alone()) {
          SendPieces(first + k, k < count ? std::span<const double>(parts[k]) : std::span<double>(),
                     &come);
        } else if (k < count) {
          for (std::size_t j = 0; j < sum->size(); ++j) (*sum)[j] += parts[k][j];
        }
      }
    }
    if (ranks_.alone()) return;
    for (Index p = 0; p < plan_.total; ++p) {
      for (std::int64_t j = 0; j < mine.size(); ++j)
        (*sum)[mine.begin + j] += come[p * mine.size() + j];
    }
    ranks_.GatherPieces(std::span<double>(*sum));
  }
  /// Gives the ranks their pieces of the vector of shard k of this rank (empty: it has none), and
  /// puts what comes from shards k of other ranks into *come.
  void SendPieces(Index k, std::span<const double> vector, std::vector<double>* come) {
    const std::int64_t length = ranks_.PieceOf(problem_.num_weights()).size();
    std::vector<std::span<const std::byte>> to;
    std::vector<std::span<std::byte>> from;
    for (int r = 0; r < ranks_.size(); ++r) {
      const Ranks::Piece piece = ranks_.PieceOf(problem_.num_weights(), r);
      to.push_back(vector.empty()
                       ? std::span<const std::byte>()
                       : std::as_bytes(vector.subspan(Size(piece.begin), Size(piece.size()))));
      const Ranks::Piece shards = ranks_.PieceOf(plan_.total, r);
      const bool comes = k < shards.size();
      from.push_back(std::as_writable_bytes(std::span(*come).subspan(
          comes ? Size((shards.begin + k) * length) : 0, comes ? Size(length) : 0)));
    }
    ranks_.ExchangeBytes(to, from);
  }
  /// Writes Ψα to *weights; returns the loss (1/M) Σ_m Δ_m·α_m.
  double PointWeights(std::vector<double>* weights) {
    std::vector<double> losses(shards_.size());
    SumOfVectors(
        [&](std::size_t k, std::vector<double>* part) {
          losses[k] = shards_[k]->blocks().WeightsOfPoint(part);
        },
        weights);
    losses = GatherFromShards(std::span<const double>(losses));
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }
  /// Computes w from scratch, which removes rounding errors.
  void Rebuild() {
    PointWeights(&common_.values);
    centre_.Blend(problem_.lambda(), common_.values);
    Distribute();
  }

  /// Coordinates and loss of Σ_s α_ms φ_m(s), as EvaluatedPoint::Reader.
  double NewestPoint(Index m, std::vector<double>* coordinates) const {
    const auto next = std::upper_bound(plan_.begin.begin(), plan_.begin.end(), m);
    const auto k = static_cast<Index>(next - plan_.begin.begin()) - 1;
    return shards_[k]->blocks().PointOfExample(m - plan_.begin[k], coordinates);
  }

  Problem problem_;  // of this rank's examples
  TrainOptions options_;
  Ranks& ranks_;
  ShardPlan plan_;
  JointScales scales_;  // with the λ of the beginning
  CommonWeights common_;
  ShardExchange exchange_;
  int threads_;
  ThreadChoice choice_;
  std::int64_t part_work_;
  EvaluatedPoint point_;
  ShardExchange::Shards shards_;     // of this rank
  std::vector<PartReport> reports_;  // of all shards, after the last part
  ProximalCentre centre_;
  ProximalControl control_;
  ActiveSetRounds rounds_;
  enum class RoundState { kRunning, kEnded, kSettled };
  RoundState state_ = RoundState::kSettled;  // between passes
  double centre_gap_ = 0;
  Index pass_ = 0;
  std::int64_t check_work_ = 0;     // of the last evaluation
  std::int64_t work_at_check_ = 0;  // of all passes before it
  std::int64_t exchange_work_ = 0;  // of all exchanges
  std::int64_t last_exchange_ = 0;  // of the last one
  std::int64_t made_rounds_ = 0;
  double critical_seconds_ = 0;  // of this process
  std::vector<double> seconds_;
  struct Counts {
    std::int64_t oracle_calls = 0, steps = 0, work = 0, checks = 0;
  };
  Counts counts_;             // of all shards
  double sum_of_bounds_ = 0;  // on all gaps
};

}  // namespace

std::unique_ptr<ShardedLearnerBase> MakeShardedLearner(const Problem& problem,
                                                       const TrainOptions& options) {
  return std::make_unique<ShardedLearner>(problem, options);
}

}  // namespace slackline::internal
