// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/active_set_shard.h>

#include <algorithm>

#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

constexpr int kShardChunks = 64;

ExampleOracle::Options OracleOptions(const TrainOptions& options, ExampleOracle::Effort effort) {
  return {.solver = options.oracle,
          .effort = effort,
          .searches = ExampleOracle::Searches::kOnDemand,
          .rescaling = options.rescaling,
          .stop = options.stop};
}

}  // namespace

ActiveSetShard::ActiveSetShard(const Problem& problem, const TrainOptions& options, Index total,
                               Index number, const CommonWeights* common)
    : Shard(problem, total, common),
      oracle_(problem, OracleOptions(options, ExampleOracle::Effort::kTraining)),
      blocks_(problem, &oracle_, options.step, AverageRule(), 1, true),
      visits_(OptionsOfShard(options, number), problem.data()),
      gaps_(problem.size(), options.order, ExamplesOutnumberWeights(total, problem.num_weights())),
      evaluator_(problem, OracleOptions(options, ExampleOracle::Effort::kChecking)) {
  blocks_.JoinShards({.total = total});
  if (has_columns()) blocks_.WatchSlots();
  SetCopy(blocks_.shared_weights());
}

void ActiveSetShard::SetSteps(double kappa, double caution) {
  blocks_.JoinShards({.total = total_, .kappa = kappa, .caution = caution});
}

void ActiveSetShard::Choose(Visits visits, double mean) {
  kind_ = visits;
  next_ = 0;
  const std::span<const Index> order = visits_.Examples(&drawn_);
  if (visits == Visits::kCallOracle) {
    gaps_.ChooseForCalls(order, mean, &chosen_);
  } else {
    gaps_.ChooseForSteps(order, mean, blocks_, &chosen_);
  }
}

void ActiveSetShard::Remember(Index m) {
  if (!FirstVisit(m)) return;
  const std::span<const double> alpha = blocks_.alpha(m);
  visited_.push_back({m, before_.size(), alpha.size(), kind_ == Visits::kCallOracle});
  before_.insert(before_.end(), alpha.begin(), alpha.end());
}

void ActiveSetShard::TakeFrequent() {
  Shard::TakeFrequent();
  blocks_.WeightsReplaced();
}

void ActiveSetShard::TakeWeights() {
  Shard::TakeWeights();
  blocks_.WeightsReplaced();
}

void ActiveSetShard::BeginRound() {
  Shard::BeginRound();
  visited_.clear();
  before_.clear();
}

void ActiveSetShard::RunPart(std::int64_t most_work, const StopControl& stop) {
  const bool call = kind_ == Visits::kCallOracle;
  const auto visit = [&](std::size_t k) {
    blocks_.PrefetchBehind(chosen_, k);
    const Index m = chosen_[k];
    const ExampleView example = problem_.data().example(m);
    TakeColumns(example);
    Remember(m);
    const ActiveSetBlocks::VisitResult result = blocks_.Visit(m, call);
    gaps_.Visited(m, call, result);
    part_gain_ += result.gain;
    NoteChanges([&](std::size_t slot) { return blocks_.moved_slot(slot); });
  };
  VisitChosen(
      most_work, stop, [&] { return blocks_.work(); }, visit);
}

ShardChange ActiveSetShard::Change() const {
  double sum = 0;
  for (const Visited& visited : visited_) {
    const ActiveSet& set = blocks_.sets()[visited.m];
    for (std::size_t a = 0; a < set.alpha().size(); ++a) {
      const double before = a < visited.count ? before_[visited.begin + a] : 0;
      sum += (set.alpha()[a] - before) * set.loss(static_cast<Index>(a));
    }
  }
  return {.slope = sum / total_};
}

void ActiveSetShard::KeepShare(double share) {
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

double ActiveSetShard::SumOfHinges(std::span<const double> weights, int threads) {
  const double mean =
      evaluator_.MeanHinge({.threads = threads, .chunks = kShardChunks},
                           [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
                             return blocks_.HingeBound(m, weights, oracle, scratch);
                           });
  return mean * problem_.size();
}

double ActiveSetShard::WeightsAndHinges(std::span<const double> at, std::vector<double>* weights,
                                        double* hinges) {
  const double loss = blocks_.WeightsAndHinge(at, kShardChunks, &evaluator_, weights, hinges);
  *hinges *= problem_.size();
  return loss;
}

void ActiveSetShard::ChangeLambda(double lambda, double share_of_point) {
  problem_ = problem_.WithLambda(lambda);
  oracle_.set_problem(problem_);
  evaluator_.set_problem(problem_);
  blocks_.ChangeLambda(problem_, share_of_point);
  gaps_.Forget();
}

void ActiveSetShard::Archive(StateArchive* archive) {
  visits_.Archive(archive);
  blocks_.Archive(archive);
  gaps_.Archive(archive);
}

}  // namespace slackline::internal
