// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard_deal.h>

#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {

ExampleRange RangeOfShard(Index examples, Index shards, Index shard) {
  SLACKLINE_CHECK(shards >= 1 && shard >= 0 && shard < shards, "there is no such shard");
  const auto begin = [&](Index s) {
    return static_cast<Index>(static_cast<std::int64_t>(examples) * s / shards);
  };
  return {begin(shard), begin(shard + 1)};
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
