// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard.h>

#include <algorithm>

#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

constexpr int kChunks = 64;
/// Least number of parts in which the chosen examples are visited: without exchanges in between,
/// passes over few examples are worth little.
constexpr std::size_t kLeastParts = 8;

ExampleOracle::Options OracleOptions(const TrainOptions& options, ExampleOracle::Effort effort) {
  return {
      .solver = options.oracle, .effort = effort, .searches = ExampleOracle::Searches::kOnDemand};
}

/// A copy of a few numbers, for which a call of memcpy is too slow.
SLACKLINE_MULTIVERSION
void CopyRun(const double* from, Offset count, double* to) {
  Offset k = 0;
  for (; k + 4 <= count; k += 4)
    *reinterpret_cast<Four*>(to + k) = *reinterpret_cast<const Four*>(from + k);
  for (; k < count; ++k) to[k] = from[k];
}

/// Options with a seed of the shard's own.
TrainOptions ForShard(TrainOptions options, Index number) {
  constexpr std::int64_t kStep = std::int64_t{1} << 53;  // seeds of users are smaller
  options.seed += number * kStep;
  return options;
}

}  // namespace

Shard::Shard(const Problem& problem, const TrainOptions& options, Index total, Index number,
             const CommonWeights* common)
    : problem_(problem),
      common_(common),
      oracle_(problem, OracleOptions(options, ExampleOracle::Effort::kTraining)),
      blocks_(problem, &oracle_, options.step, AverageKind::kOff, 1, true),
      visits_(ForShard(options, number), problem.data()),
      gaps_(problem.size(), options.order),
      evaluator_(problem, OracleOptions(options, ExampleOracle::Effort::kChecking)),
      steps_{.total = total},
      visited_in_(problem.size(), 0),
      columns_(common->runs.num_columns()),
      changed_(kRanges) {
  blocks_.JoinShards(steps_);
}

void Shard::SetSteps(double kappa, double caution) {
  steps_.kappa = kappa;
  steps_.caution = caution;
  blocks_.JoinShards(steps_);
}

void Shard::Choose(Visits visits, double mean) {
  kind_ = visits;
  next_ = 0;
  const std::span<const Index> order = visits_.Examples(&drawn_);
  if (visits == Visits::kCallOracle) {
    gaps_.ChooseForCalls(order, mean, &chosen_);
  } else {
    gaps_.ChooseForSteps(order, mean, blocks_, &chosen_);
  }
}

bool Shard::Remember(Index m) {
  if (visited_in_[m] == round_) return false;
  visited_in_[m] = round_;
  const std::span<const double> alpha = blocks_.alpha(m);
  visited_.push_back({m, before_.size(), alpha.size(), kind_ == Visits::kCallOracle});
  before_.insert(before_.end(), alpha.begin(), alpha.end());
  return true;
}

bool Shard::ChangedSince(const Visited& visited) {
  const std::span<const double> alpha = blocks_.alpha(visited.m);
  const double* const before = before_.data() + visited.begin;
  return !std::equal(before, before + visited.count, alpha.begin()) ||
         std::any_of(alpha.begin() + static_cast<std::ptrdiff_t>(visited.count), alpha.end(),
                     [](double share) { return share != 0; });
}

void Shard::TakeColumns(const ExampleView& example) {
  double* const copy = blocks_.shared_weights().data();
  const double* const values = common_->values.data();
  used_.clear();
  common_->runs.ForEachColumn(example, [&](Index number, const WeightRun& run) {
    used_.push_back(number);
    Column& column = columns_[number];
    const std::int64_t newest = common_->changed_in[number];
    if (column.taken >= newest || column.changed == round_) return;
    column.taken = newest;
    CopyRun(values + run.begin, run.count, copy + run.begin);
  });
}

void Shard::NoteChange() {
  const std::int64_t columns = common_->runs.num_columns();
  for (const Index number : used_) {
    Column& column = columns_[number];
    if (column.changed == round_) continue;
    column = {-1, round_};  // the common value will be another one
    changed_[static_cast<std::int64_t>(kRanges) * number / columns].push_back(number);
  }
}

void Shard::TakeFrequent() {
  const double* from = common_->frequent.data();
  for (const WeightRun& run : common_->runs.frequent()) {
    std::copy(from, from + run.count, blocks_.shared_weights().data() + run.begin);
    from += run.count;
  }
  blocks_.WeightsReplaced();
}

void Shard::TakeWeights() {
  std::copy(common_->values.begin(), common_->values.end(), blocks_.shared_weights().begin());
  for (Column& column : columns_) column.taken = common_->round;
  blocks_.WeightsReplaced();
}

void Shard::BeginRound() {
  visited_.clear();
  before_.clear();
  for (std::vector<Index>& range : changed_) range.clear();
  round_work_ = 0;
  ++round_;
}

void Shard::RunPart(std::int64_t most_work, const StopControl& stop) {
  part_gain_ = 0;
  const bool call = kind_ == Visits::kCallOracle;
  const bool columns = common_->runs.num_columns() > 0;
  const std::int64_t begin = blocks_.work();
  const std::size_t end = std::min(chosen_.size(), next_ + 1 + chosen_.size() / kLeastParts);
  while (next_ < end && blocks_.work() - begin < most_work && !stop.ShouldStop()) {
    blocks_.PrefetchBehind(chosen_, next_);
    const Index m = chosen_[next_++];
    const ExampleView example = problem_.data().example(m);
    if (columns) TakeColumns(example);
    const bool first = Remember(m);
    const ActiveSetBlocks::VisitResult visit = blocks_.Visit(m, call);
    gaps_.Visited(m, call, visit);
    part_gain_ += visit.gain;
    if (columns && (!first || ChangedSince(visited_.back()))) NoteChange();
  }
  round_work_ += blocks_.work() - begin;
}

double Shard::LossChange() const {
  double sum = 0;
  for (const Visited& visited : visited_) {
    const ActiveSet& set = blocks_.sets()[visited.m];
    for (std::size_t a = 0; a < set.alpha().size(); ++a) {
      const double before = a < visited.count ? before_[visited.begin + a] : 0;
      sum += (set.alpha()[a] - before) * set.loss(static_cast<Index>(a));
    }
  }
  return sum / steps_.total;
}

void Shard::KeepShare(double share) {
  for (const Visited& visited : visited_) {
    const std::span<double> alpha = blocks_.alpha(visited.m);
    for (std::size_t a = 0; share < 1 && a < alpha.size(); ++a) {
      const double before = a < visited.count ? before_[visited.begin + a] : 0;
      alpha[a] = before + share * (alpha[a] - before);
    }
    if (visited.called) blocks_.DropIdle(visited.m);
  }
  visited_.clear();
}

double Shard::SumOfHinges(std::span<const double> weights, int threads) {
  const double mean =
      evaluator_.MeanHinge(weights, {.threads = threads, .chunks = kChunks},
                           [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
                             return blocks_.HingeBound(m, weights, oracle, scratch);
                           });
  return mean * problem_.size();
}

void Shard::ChangeLambda(double lambda, double share_of_point) {
  problem_ = problem_.WithLambda(lambda);
  oracle_.set_problem(problem_);
  evaluator_.set_problem(problem_);
  blocks_.ChangeLambda(problem_, share_of_point);
  gaps_.Forget();
}

void Shard::Archive(StateArchive* archive) {
  visits_.Archive(archive);
  blocks_.Archive(archive);
  gaps_.Archive(archive);
}

}  // namespace slackline::internal
