// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard_deal.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {

ExampleRange RangeOfShard(Index examples, Index shards, Index shard) {
  SLACKLINE_CHECK(shards >= 1 && shard >= 0 && shard < shards, "there is no such shard");
  const auto begin = [&](Index s) {
    return static_cast<Index>(static_cast<std::int64_t>(examples) * s / shards);
  };
  return {begin(shard), begin(shard + 1)};
}

ShardPlan PlanShards(Index examples, Index wanted, Ranks& ranks) {
  const std::vector<Index> counts = ranks.Gather(examples);
  std::int64_t total = 0;
  for (const Index count : counts) total += count;
  if (total == 0) throw DataError("there is no labelled example to train on");
  if (total > std::numeric_limits<Index>::max())
    throw DataError("the ranks together have more than 2147483647 examples");
  ShardPlan plan;
  plan.num_examples = static_cast<Index>(total);
  plan.total = std::min(wanted, plan.num_examples);
  if (wanted < ranks.size()) {
    throw DataError("--shards " + std::to_string(wanted) + ": there are " +
                    std::to_string(ranks.size()) + " ranks, each of which needs a shard");
  }
  bool even = true;
  for (int r = 0; r < ranks.size(); ++r) {
    even = even && RecordsOfRank(ranks, plan.num_examples, plan.total, r).size() == counts[r];
  }
  const Ranks::Piece mine = ranks.PieceOf(plan.total);
  plan.first = static_cast<Index>(mine.begin);
  const auto count = static_cast<Index>(mine.size());
  if (!even) {
    const auto least = std::min_element(counts.begin(), counts.end());
    const Index fewest = *least;
    if (fewest == 0)
      throw DataError("rank " + std::to_string(least - counts.begin()) + " has no examples");
    if (plan.total % ranks.size() != 0 || fewest < count) {
      throw DataError("--shards " + std::to_string(wanted) + ": the ranks have " +
                      std::to_string(fewest) + " to " +
                      std::to_string(*std::max_element(counts.begin(), counts.end())) +
                      " examples, so that each must divide its own; use a multiple of " +
                      std::to_string(ranks.size()) + " shards, and no more per rank than " +
                      std::to_string(fewest));
    }
    for (Index k = 0; k <= count; ++k)
      plan.begin.push_back(k < count ? RangeOfShard(examples, count, k).begin : examples);
    return plan;
  }
  const Index first = RangeOfShard(plan.num_examples, plan.total, plan.first).begin;
  for (Index k = 0; k < count; ++k) {
    plan.begin.push_back(RangeOfShard(plan.num_examples, plan.total, plan.first + k).begin - first);
  }
  plan.begin.push_back(examples);
  return plan;
}

Problem ProblemOfRange(const Problem& problem, const ExampleRange& range) {
  const TrainingSet& whole = problem.training();
  SLACKLINE_CHECK(range.begin >= 0 && range.size() > 0 && range.end <= problem.size(),
                  "a range of examples is outside the training set");
  const Dataset& data = whole.data;
  TrainingSet part{Dataset(data.shared_layout(), data.rows()), {}, {0}, 0, 0, whole.form};
  for (Index m = range.begin; m < range.end; ++m) {
    const ExampleView example = data.example(m);
    part.data.Add(data.structures()[data.structure_of(m)], example.labels(), data.first_input(m),
                  example.potentials());
    const std::span<const double> loss = whole.loss(m);
    part.losses.insert(part.losses.end(), loss.begin(), loss.end());
    part.loss_begin.push_back(static_cast<Offset>(part.losses.size()));
  }
  return Problem(std::move(part), problem.lambda());
}

}  // namespace slackline::internal
