// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/round_learner.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/timer.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

/// Where some weights are not frequent, a round ends when some shard has visited this share of its
/// chosen examples, or has worked kMostPerExchange times its share of the last exchange's work, but
/// never before kLeastPerExchange times. An exchange costs more the more columns have changed, so
/// long rounds save little, and their visits do not see what the other shards change.
constexpr double kMostRoundShare = 1.0 / 8;
constexpr double kLeastPerExchange = 4;
constexpr double kMostPerExchange = 40;

/// Work of a shard in a part of a round, in array entries. After every part the frequent weights
/// move between processors, which takes longer than computing with them. The more shards there are,
/// the more changes of others a longer part would miss. An exchange takes each shard some
/// operations per frequent weight, and per 32 shards some more for the products of all pairs; a
/// part must take several times as long.
constexpr std::int64_t kWorkPerFrequent = 60;
constexpr std::int64_t kWorkPerExchanged = 12;
/// Where examples outnumber weights, the data of visits come from memory and a visit takes some
/// five times as long as its work suggests. Parts then have less work.
constexpr std::int64_t kPartsOfMany = 4;
std::int64_t PartWork(Offset frequent, Index shards, bool many_examples) {
  const std::int64_t seen = kWorkPerFrequent * frequent / shards;
  const std::int64_t exchanged = kWorkPerExchanged * (frequent + frequent * shards / 32);
  const std::int64_t least = std::max(WeightRuns::kLeastPartWork, exchanged);
  return std::max(many_examples ? least / kPartsOfMany : least, seen);
}

/// A part takes at least the mean work of so many visits, since shards wait for the slowest one and
/// some visits (of images) are long. Shards with few examples are excepted: their passes must have
/// at least kPartsOfVisits parts.
constexpr double kLeastVisits = 8;
constexpr double kPartsOfVisits = 24;

}  // namespace

RoundLearner::RoundLearner(const Problem& problem, const TrainOptions& options,
                           const ShardMaker& make)
    : problem_(problem),
      options_(options),
      ranks_(RanksOf(options)),
      plan_(PlanShards(problem.size(), options.shards, ranks_)),
      scales_(JointScalesOf(problem, options)),
      common_(problem.data(), WeightRuns::kLeastPartWork, ranks_),
      threads_(NumThreads(options.threads)),
      exchange_(common_.runs, plan_, ranks_),
      choice_(threads_),
      part_work_(PartWork(common_.runs.num_frequent(), plan_.total,
                          ExamplesOutnumberWeights(plan_.num_examples, problem.num_weights()))) {
  traits_.dual_point = this;
  traits_.lambda = this;
  traits_.scales = this;
  MakeShards(make);
  Distribute();
  CountWork();
}

void RoundLearner::MakeShards(const ShardMaker& make) {
  shards_.resize(plan_.count());
  const StopRelay* const relay = StopRelay::Preparation::Current();
  std::atomic<bool> out_of_time{false};
  OnAllRanks(ranks_, [&] {
    if (plan_.count() == 0) return;
    ParallelChunks(plan_.count(), plan_.count(), threads_, [&](const Chunk& chunk) {
      const Index k = chunk.begin;
      const StopRelay::Preparation preparation(relay);
      try {
        shards_[k] = make(ProblemOfRange(problem_, plan_.range(k)), num_examples(), plan_.first + k,
                          &common_);
      } catch (const OutOfTime&) {
        out_of_time = true;
      }
    });
  });
  if (ranks_.Any(out_of_time)) throw OutOfTime();
}

WorkCounts RoundLearner::work() const {
  WorkCounts counts;
  counts.oracle_calls = counts_.oracle_calls;
  counts.block_steps = counts_.steps;
  counts.entries = Work();
  counts.rounds = made_rounds_;
  counts.critical_seconds = critical_seconds_;
  return counts;
}

void RoundLearner::CountWork() {
  counts_ = {};
  for (const Shard::Counts& of_shard : OfAllShards([](const Shard& one) { return one.counts(); })) {
    counts_.oracle_calls += of_shard.oracle_calls;
    counts_.steps += of_shard.steps;
    counts_.work += of_shard.work;
    counts_.checks += of_shard.checks;
  }
}

CertifiedProblem RoundLearner::Certified() const {
  const bool relaxed = std::any_of(shards_.begin(), shards_.end(),
                                   [](const auto& shard) { return shard->relaxed(); });
  return ranks_.Any(relaxed) ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
}

void RoundLearner::RunShards(const std::function<void(std::size_t k)>& work) {
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

void RoundLearner::ForShards(const std::function<void(std::size_t k)>& work) {
  RunShards(work);
  if (!seconds_.empty()) critical_seconds_ += *std::max_element(seconds_.begin(), seconds_.end());
}

void RoundLearner::MakePass(const StopControl& stop,
                            const std::function<void(const Visitor& visit)>& visits) {
  RequireSettled();
  visits([&](const std::function<void(Shard&)>& choose, Until until) {
    return Visit(choose, until, stop);
  });
  if (state_ == RoundState::kRunning) {
    // The changes of the last part have been added up already.
    ForShards([&](std::size_t k) { shards_[k]->TakeFrequent(); });
    EndRound();
  }
  if (state_ == RoundState::kEnded) ForShards([&](std::size_t k) { Settle(k); });
  state_ = RoundState::kSettled;
}

void RoundLearner::RequireSettled() const {
  SLACKLINE_CHECK(state_ == RoundState::kSettled, "a round of visits is open");
}

VisitProgress RoundLearner::Visit(const std::function<void(Shard&)>& choose, Until until,
                                  const StopControl& stop) {
  centre_.Leave();
  const std::int64_t before = Work();
  VisitProgress progress;
  bool chosen = false;
  do {
    RunPart(stop, chosen ? nullptr : &choose);
    chosen = true;
    if (!RoundContinues()) {
      progress.gain += EndRound();
    } else {
      // The line search is still to come. Steps with caution underestimate these gains.
      double gain = 0;
      for (const PartReport& report : reports_) gain += report.gain * plan_.num_examples;
      progress.gain += gain;
      counted_gain_ += gain;
      Count(exchange_.CombineFrequent(choice_.threads(), shards_, &common_));
    }
  } while (!Done(until) && !stop.ShouldStop());
  progress.work = Work() - before;
  return progress;
}

std::int64_t RoundLearner::MostPartWork() const {
  if (visits_ == 0) return part_work_;
  const double visits = std::min(kLeastVisits, plan_.num_examples / (kPartsOfVisits * plan_.total));
  const double mean = static_cast<double>(counts_.work) / static_cast<double>(visits_);
  return std::max(part_work_, static_cast<std::int64_t>(visits * mean));
}

void RoundLearner::RunPart(const StopControl& stop, const std::function<void(Shard&)>* choose) {
  const std::int64_t most = MostPartWork();
  RunShards([&](std::size_t k) {
    Shard& shard = *shards_[k];
    if (state_ == RoundState::kRunning) shard.TakeFrequent();
    if (state_ == RoundState::kEnded) Settle(k);
    if (state_ != RoundState::kRunning) shard.BeginRound();
    if (choose != nullptr) (*choose)(shard);
    shard.RunPart(most, stop);
    shard.EndPart();
  });
  state_ = RoundState::kRunning;
  const StopControl::Wish wish = stop.wish();
  std::vector<PartReport> mine;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const Shard& shard = *shards_[k];
    mine.push_back({shard.round_work(), shard.round_share(), shard.counts().work,
                    shard.part_visits(), shard.part_gain(), seconds_[k], shard.chose(),
                    shard.done(), wish});
  }
  reports_ = GatherFromShards(std::span<const PartReport>(mine));
  counts_.work = 0;
  double longest = 0;
  for (const PartReport& report : reports_) {
    counts_.work += report.work;
    visits_ += report.visits;
    longest = std::max(longest, report.seconds);
    stop.Agree(report.wish);
  }
  if (plan_.total < ranks_.size()) stop.Agree(ranks_);  // ranks without shards have wishes, too
  critical_seconds_ += longest;
}

/// A round ends after its first part where all weights are frequent.
bool RoundLearner::RoundContinues() const {
  if (common_.runs.num_columns() == 0) return false;
  const double exchange = static_cast<double>(last_exchange_) / plan_.total;
  return std::all_of(reports_.begin(), reports_.end(), [&](const PartReport& report) {
    const auto work = static_cast<double>(report.round_work);
    return work < kLeastPerExchange * exchange ||
           (work < kMostPerExchange * exchange && report.round_share < kMostRoundShare);
  });
}

/// Combines the changes of a round. Returns M times the gain of the dual, less the gains that Visit
/// has already counted for the parts of the round.
double RoundLearner::EndRound() {
  double gain = 0;
  const ShardExchange::WeightTerm term{problem_.lambda() + kappa(), threshold()};
  const ShardExchange::Cost cost =
      exchange_.Combine(term, choice_.threads(), shards_, &common_, &gain);
  Count(cost);
  gained_ += gain;
  last_exchange_ = cost.work;
  state_ = RoundState::kEnded;
  return gain * plan_.num_examples - std::exchange(counted_gain_, 0.0);
}

void RoundLearner::Count(const ShardExchange::Cost& cost) {
  ++made_rounds_;
  exchange_work_ += cost.work;
  critical_seconds_ += cost.cpu_seconds * ranks_.size() / plan_.total;
}

bool RoundLearner::Done(Until until) const {
  Index chose = 0;
  Index done = 0;
  for (const PartReport& report : reports_) {
    chose += report.chose ? 1 : 0;
    done += report.chose && report.done ? 1 : 0;
  }
  return until == Until::kAllDone ? done == chose : 2 * done >= chose;
}

/// Makes shard k of this rank keep its share of the last combination.
void RoundLearner::Settle(std::size_t k) {
  shards_[k]->KeepShare(exchange_.shares()[plan_.first + k]);
  shards_[k]->TakeFrequent();
  shards_[k]->SetSteps(kappa(), exchange_.caution());
}

void RoundLearner::Distribute() {
  RequireSettled();
  common_.BeginAgain();
  ForShards([&](std::size_t k) {
    shards_[k]->TakeWeights();
    shards_[k]->SetSteps(kappa(), exchange_.caution());
  });
}

void RoundLearner::SumOfVectors(
    Offset length, const std::function<void(std::size_t k, std::vector<double>* part)>& write,
    std::vector<double>* sum) {
  RequireSettled();
  const Ranks::Piece mine = ranks_.PieceOf(length);
  // With several ranks: the pieces of all shards, one after the other.
  std::vector<double> come(ranks_.alone() ? 0 : Size(plan_.total * mine.size()));
  sum->assign(Size(length), 0.0);
  std::vector<std::vector<double>> parts(Size(threads_));
  const Index most = (plan_.total + ranks_.size() - 1) / ranks_.size();  // shards of a rank
  for (Index first = 0; first < most; first += threads_) {
    const Index count = std::clamp<Index>(plan_.count() - first, 0, threads_);
    ParallelChunks(count, std::max<Index>(1, count), threads_, [&](const Chunk& chunk) {
      for (Index k = chunk.begin; k < chunk.end; ++k) write(Size(first + k), &parts[k]);
    });
    for (Index k = 0; k < std::min<Index>(threads_, most - first); ++k) {
      if (!ranks_.alone()) {
        SendPieces(first + k, length,
                   k < count ? std::span<const double>(parts[k]) : std::span<double>(), &come);
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

/// Gives every rank its piece of the vector of shard k of this rank (empty: there is no such
/// shard), and writes the pieces that come from the other ranks' shards k to *come.
void RoundLearner::SendPieces(Index k, Offset length, std::span<const double> vector,
                              std::vector<double>* come) {
  const std::int64_t mine = ranks_.PieceOf(length).size();
  std::vector<std::span<const std::byte>> to;
  std::vector<std::span<std::byte>> from;
  for (int r = 0; r < ranks_.size(); ++r) {
    const Ranks::Piece piece = ranks_.PieceOf(length, r);
    to.push_back(vector.empty()
                     ? std::span<const std::byte>()
                     : std::as_bytes(vector.subspan(Size(piece.begin), Size(piece.size()))));
    const Ranks::Piece shards = ranks_.PieceOf(plan_.total, r);
    const bool comes = k < shards.size();
    from.push_back(std::as_writable_bytes(std::span(*come).subspan(
        comes ? Size((shards.begin + k) * mine) : 0, comes ? Size(mine) : 0)));
  }
  ranks_.ExchangeBytes(to, from);
}

double RoundLearner::FirstKappaOfAll(double most) {
  std::vector<double> direction;
  SumOfVectors(
      problem_.num_weights(),
      [&](std::size_t k, std::vector<double>* part) {
        part->assign(Size(problem_.num_weights()), 0.0);
        AddWorstDirection(shards_[k]->problem(), 1.0 / plan_.num_examples, *part);
      },
      &direction);
  return FirstKappa(problem_.lambda(), direction, scales_.primal_at_zero, most);
}

double RoundLearner::PointWeights(std::vector<double>* weights) {
  return PointWeights(
      [&](std::size_t k, std::vector<double>* part) { return shards_[k]->WeightsOfPoint(part); },
      weights);
}

double RoundLearner::PointWeights(
    const std::function<double(std::size_t k, std::vector<double>* part)>& read,
    std::vector<double>* weights) {
  std::vector<double> losses(shards_.size());
  SumOfVectors(
      problem_.num_weights(),
      [&](std::size_t k, std::vector<double>* part) { losses[k] = read(k, part); }, weights);
  losses = GatherFromShards(std::span<const double>(losses));
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

double RoundLearner::NewestPoint(Index m, std::vector<double>* coordinates) const {
  const auto next = std::upper_bound(plan_.begin.begin(), plan_.begin.end(), m);
  const auto k = static_cast<Index>(next - plan_.begin.begin()) - 1;
  return shards_[k]->PointOfExample(m - plan_.begin[k], coordinates);
}

void RoundLearner::MoveCentre(double kappa) {
  centre_.Move(kappa, problem_.lambda(), &common_.values);
  Distribute();
}

void RoundLearner::Rebuild() {
  PointWeights(&common_.values);
  centre_.Blend(problem_.lambda(), common_.values);
  Distribute();
}

void RoundLearner::RebuildForLambda() {
  made_rounds_ = 0;
  critical_seconds_ = 0;
  centre_.Leave();
  Rebuild();
  CountWork();
}

void RoundLearner::ArchiveRounds(StateArchive* archive, const std::function<void()>& rest) {
  if (archive->loading()) state_ = RoundState::kSettled;
  RequireSettled();
  archive->FiniteReals(common_.values);
  exchange_.Archive(archive);
  for (std::int64_t* count : {&exchange_work_, &last_exchange_, &made_rounds_, &visits_})
    archive->Count(count);
  rest();
  if (!archive->loading()) return;
  evaluated_.clear();
  Distribute();
  CountWork();
}

}  // namespace slackline::internal
