// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/sharded_learner.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include <slackline/core/parallel.h>
#include <slackline/core/timer.h>
#include <slackline/learning/example_blocks/active_set_rounds.h>
#include <slackline/learning/example_blocks/evaluated_point.h>
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

/// Work of a shard in a round, in units of its share of the work of the last exchange, where some
/// weights are not frequent.
constexpr std::int64_t kRoundPerExchange = 40;

/// Work of a shard in a part of a round, in array entries. The least is some 150 µs, many times as
/// long as threads take to wait for each other. Frequent weights move between processors after
/// every part, which takes longer than to compute with them; the more shards, the more a longer
/// part would leave unseen.
constexpr std::int64_t kLeastPartWork = 60'000;
constexpr std::int64_t kWorkPerFrequent = 60;
std::int64_t PartWork(Offset frequent, Index shards) {
  return std::max(kLeastPartWork, kWorkPerFrequent * frequent / shards);
}

/// No shard is empty.
Index NumShards(const Problem& problem, const TrainOptions& options) {
  return std::min(options.shards, problem.size());
}

class ShardedLearner : public ShardedLearnerBase,
                       public DualPointSource,
                       public LambdaFollower,
                       public CheckAdvisor {
 public:
  ShardedLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        common_(problem.data(), kLeastPartWork),
        exchange_(common_.runs, NumShards(problem, options)),
        threads_(NumThreads(options.threads)),
        choice_(threads_),
        part_work_(PartWork(common_.runs.num_frequent(), NumShards(problem, options))),
        point_(options.proximal != Switch::kOff, [this](Index m, std::vector<double>* coordinates) {
          return NewestPoint(m, coordinates);
        }) {
    const Index shards = NumShards(problem, options);
    shards_.resize(shards);
    ParallelChunks(shards, shards, threads_, [&](const Chunk& chunk) {
      const ExampleRange range = RangeOfShard(problem.size(), shards, chunk.begin);
      shards_[chunk.begin] = std::make_unique<Shard>(ProblemOfRange(problem, range), options,
                                                     problem.size(), chunk.begin, &common_);
    });
    for (Index p = 0; p < shards; ++p)
      first_.push_back(RangeOfShard(problem.size(), shards, p).begin);
    traits_.dual_point = this;
    traits_.lambda = this;
    traits_.advisor = this;
    Distribute();
    if (options.proximal != Switch::kOff) MoveCentreTo(FirstKappa(problem));
  }

  void RunPass(const StopControl& stop) override {
    const VisitProgress total = Visit(Shard::Visits::kCallOracle, stop);
    rounds_.Run(total, stop, [&] { return Visit(Shard::Visits::kActiveSets, stop); });
    SettleAll();
    if (!stop.ShouldStop()) MoveCentre();
    if (++pass_ % ActiveSetBlocks::kRebuildEvery == 0) Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    const std::int64_t before = CheckWork();
    const double loss = PointWeights(&evaluated_);
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    const bool relaxed = std::any_of(shards_.begin(), shards_.end(),
                                     [](const auto& shard) { return shard->relaxed(); });
    evaluation.problem = relaxed ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
    evaluation.dual = point_.Evaluate(problem_.data(), loss, regulariser, kappa());
    if (kappa() > 0) {
      const std::span<const double> reached = centre_.Reached(common_.values);
      evaluated_.assign(reached.begin(), reached.end());
    }
    double hinges = 0;
    for (const auto& shard : shards_) hinges += shard->SumOfHinges(evaluated_, threads);
    evaluation.primal = Regulariser(problem_.lambda(), evaluated_) + hinges / problem_.size();
    check_work_ = CheckWork() - before;
    work_at_check_ = Work();
    return evaluation;
  }

  std::span<const double> reached() const override { return centre_.Reached(common_.values); }

  bool CheckIsCheap() const override { return Work() - work_at_check_ >= 2 * check_work_; }
  double GapEstimate() const override {
    double sum = 0;
    for (const auto& shard : shards_) sum += shard->gaps().SumOfBounds();
    return sum / problem_.size() + centre_gap_;
  }
  WorkCounts work() const override {
    WorkCounts counts;
    for (const auto& shard : shards_) {
      counts.oracle_calls += shard->blocks().oracle_calls();
      counts.block_steps += shard->blocks().steps();
    }
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
    if (options_.proximal != Switch::kOff && kappa() == 0) MoveCentreTo(FirstKappa(problem_));
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("shards");
    archive->FiniteReals(common_.values);
    centre_.Archive(problem_.num_weights(), problem_.lambda(), archive);
    for (const auto& shard : shards_) shard->Archive(archive);
    exchange_.Archive(archive);
    archive->FiniteReal(&centre_gap_);
    control_.Archive(archive);
    point_.Archive(problem_.data(), archive);
    for (std::int64_t* count :
         {&check_work_, &work_at_check_, &exchange_work_, &last_exchange_, &made_rounds_})
      archive->Count(count);
    archive->Passes(&pass_);
    rounds_.Archive(archive);
    if (!archive->loading()) return;
    evaluated_.clear();
    Distribute();
  }

 private:
  double kappa() const { return centre_.kappa(); }
  std::int64_t Work() const {
    std::int64_t work = exchange_work_;
    for (const auto& shard : shards_) work += shard->blocks().work();
    return work;
  }
  std::int64_t CheckWork() const {
    std::int64_t work = 0;
    for (const auto& shard : shards_) work += shard->check_work();
    return work;
  }

  /// Calls work(p) for every shard, side by side. The longest one counts as critical time.
  template <class Work>
  void ForShards(const Work& work) {
    const WallTimer timer;
    seconds_.resize(shards_.size());
    ParallelChunks(num_shards(), num_shards(), choice_.threads(), [&](const Chunk& chunk) {
      const double begin = ThreadCpuSeconds();
      work(static_cast<std::size_t>(chunk.begin));
      seconds_[chunk.begin] = ThreadCpuSeconds() - begin;
    });
    critical_seconds_ += *std::max_element(seconds_.begin(), seconds_.end());
    choice_.Add(timer.Seconds(), std::accumulate(seconds_.begin(), seconds_.end(), 0.0));
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
        for (const auto& shard : shards_) progress.gain += shard->part_gain() * problem_.size();
        Count(exchange_.CombineFrequent(choice_.threads(), shards_, &common_));
      }
    } while (AnyOpen() && !stop.ShouldStop());
    progress.work = Work() - before;
    return progress;
  }

  /// Makes a part of a round. mean: if not null, the shards choose examples first (Shard::Choose).
  void RunPart(const StopControl& stop, const double* mean, Shard::Visits visits) {
    ForShards([&](std::size_t p) {
      Shard& shard = *shards_[p];
      if (state_ == RoundState::kRunning) shard.TakeFrequent();
      if (state_ == RoundState::kEnded) Settle(p);
      if (state_ != RoundState::kRunning) shard.BeginRound();
      if (mean != nullptr) shard.Choose(visits, *mean);
      shard.RunPart(part_work_, stop);
    });
    state_ = RoundState::kRunning;
  }
  /// A round ends after its first part where all weights are frequent. Elsewhere it takes so much
  /// work that the exchange of the other weights costs little, but no more than a pass.
  bool RoundContinues() const {
    if (common_.runs.num_columns() == 0) return false;
    const std::int64_t enough = kRoundPerExchange * last_exchange_ / num_shards();
    return std::all_of(shards_.begin(), shards_.end(),
                       [&](const auto& shard) { return shard->round_work() < enough; });
  }
  /// Combines the changes of a round. Returns the gain of the dual, times M.
  double EndRound() {
    double gain = 0;
    const ShardExchange::Cost cost =
        exchange_.Combine(problem_.lambda() + kappa(), choice_.threads(), shards_, &common_, &gain);
    Count(cost);
    last_exchange_ = cost.work;
    state_ = RoundState::kEnded;
    return gain * problem_.size();
  }
  /// Ends an open round, and gives the shards their parts of the last combination.
  void SettleAll() {
    if (state_ == RoundState::kRunning) {
      // The changes of the last part have been added up already.
      ForShards([&](std::size_t p) { shards_[p]->TakeFrequent(); });
      EndRound();
    }
    if (state_ == RoundState::kEnded) ForShards([&](std::size_t p) { Settle(p); });
    state_ = RoundState::kSettled;
  }
  void Count(const ShardExchange::Cost& cost) {
    ++made_rounds_;
    exchange_work_ += cost.work;
    critical_seconds_ += cost.cpu_seconds / num_shards();
  }

  /// The mean of the gaps or spreads of all shards.
  double MeanFor(Shard::Visits visits) const {
    ExampleGaps::Known known;
    for (const auto& shard : shards_) {
      if (visits == Shard::Visits::kCallOracle) {
        known.Add({shard->gaps().Sum(), shard->problem().size()});
      } else {
        known.Add(shard->gaps().Spreads(shard->blocks()));
      }
    }
    return known.count > 0 ? known.sum / known.count : 0;
  }
  bool AnyOpen() const {
    return std::any_of(shards_.begin(), shards_.end(),
                       [](const auto& shard) { return !shard->done(); });
  }
  Index num_shards() const { return static_cast<Index>(shards_.size()); }

  /// Gives shard p its part of the last combination.
  void Settle(std::size_t p) {
    shards_[p]->KeepShare(exchange_.shares()[p]);
    shards_[p]->TakeFrequent();
    shards_[p]->SetSteps(kappa(), exchange_.caution());
  }
  /// Gives all shards the weights.
  void Distribute() {
    common_.ReadFrequent();
    ForShards([&](std::size_t p) {
      shards_[p]->TakeWeights();
      shards_[p]->SetSteps(kappa(), exchange_.caution());
    });
  }

  void MoveCentre() {
    if (kappa() == 0) return;
    ExampleGaps::Known gaps;
    for (const auto& shard : shards_) gaps.Add(shard->gaps().KnownGaps());
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

  /// Writes Ψα to *weights; returns the loss (1/M) Σ_m Δ_m·α_m. Both are sums in the order of the
  /// shards, of which as many as there are threads are computed at once.
  double PointWeights(std::vector<double>* weights) {
    weights->assign(static_cast<std::size_t>(problem_.num_weights()), 0.0);
    double loss = 0;
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(threads_));
    std::vector<double> losses(parts.size());
    for (Index first = 0; first < num_shards(); first += threads_) {
      const Index count = std::min<Index>(threads_, num_shards() - first);
      ParallelChunks(count, count, threads_, [&](const Chunk& chunk) {
        const Index k = chunk.begin;
        losses[k] = shards_[first + k]->blocks().WeightsOfPoint(&parts[k]);
      });
      for (Index k = 0; k < count; ++k) {
        loss += losses[k];
        for (std::size_t j = 0; j < weights->size(); ++j) (*weights)[j] += parts[k][j];
      }
    }
    return loss;
  }
  /// Computes w from scratch, which removes rounding errors.
  void Rebuild() {
    PointWeights(&common_.values);
    centre_.Blend(problem_.lambda(), common_.values);
    Distribute();
  }

  /// Coordinates and loss of Σ_s α_ms φ_m(s), as EvaluatedPoint::Reader.
  double NewestPoint(Index m, std::vector<double>* coordinates) const {
    const auto next = std::upper_bound(first_.begin(), first_.end(), m);
    const auto p = static_cast<std::size_t>(next - first_.begin()) - 1;
    return shards_[p]->blocks().PointOfExample(m - first_[p], coordinates);
  }

  Problem problem_;
  TrainOptions options_;
  CommonWeights common_;
  ShardExchange exchange_;
  int threads_;
  ThreadChoice choice_;
  std::int64_t part_work_;
  EvaluatedPoint point_;
  ShardExchange::Shards shards_;
  std::vector<Index> first_;  // per shard: its first example
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
};

}  // namespace

std::unique_ptr<ShardedLearnerBase> MakeShardedLearner(const Problem& problem,
                                                       const TrainOptions& options) {
  return std::make_unique<ShardedLearner>(problem, options);
}

}  // namespace slackline::internal
