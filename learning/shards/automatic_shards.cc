// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/automatic_shards.h>

#include <algorithm>

#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/shards/weight_runs.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {
namespace {

/// Least work of a shard in a pass, in array entries: eight parts of rounds.
constexpr std::int64_t kLeastPassWork = 480'000;
/// Where features are rare, exchanges cost so much that fewer shards gain nothing.
constexpr std::int64_t kLeastShardsOfRare = 4;

/// Array entries that visits of all examples touch, roughly.
std::int64_t PassWork(const Dataset& data) {
  std::int64_t entries = 0;
  for (Index m = 0; m < data.size(); ++m) entries += SweepEntries(data.example(m));
  return kVisitWork * data.size() + entries / 2;
}

}  // namespace

Index AutomaticShards(const Problem& problem, int threads) {
  if (threads == 1) return 1;
  const std::int64_t most =
      std::min<std::int64_t>({threads, problem.size(), PassWork(problem.data()) / kLeastPassWork});
  const bool pays =
      most >= kLeastShardsOfRare || (most > 1 && WeightRuns::AllAreFrequent(problem.data()));
  return pays ? static_cast<Index>(most) : 1;
}

}  // namespace slackline::internal
