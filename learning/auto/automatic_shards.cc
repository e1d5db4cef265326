// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/automatic_shards.h>

#include <algorithm>

#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/auto/tuned.h>
#include <slackline/learning/shards/weight_runs.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {
namespace {

/// Array entries that visits of all examples touch, roughly.
std::int64_t PassWork(const Dataset& data) {
  std::int64_t entries = 0;
  for (Index m = 0; m < data.size(); ++m) entries += SweepEntries(data.example(m));
  return kVisitWork * data.size() + entries / 2;
}

}  // namespace

Index AutomaticShards(const Problem& problem, int threads) {
  if (threads == 1) return 1;
  const std::int64_t most = std::min<std::int64_t>(
      {threads, problem.size(), PassWork(problem.data()) / tuned::kLeastPassWork});
  if (most <= 1) return 1;
  const Index height = WeightRuns(problem.data(), WeightRuns::kLeastPartWork).LeastRareHeight();
  return height == 0 || height >= tuned::kLongColumn ? static_cast<Index>(most) : 1;
}

}  // namespace slackline::internal
