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
/// Where features are rare, exchanges cost so much that shards gain little however many there are,
/// and a run with fewer processors than threads becomes several times slower. Long columns are an
/// exception: the fixed cost of an exchange then matters less, and oracles with so many states or
/// labels are expensive. With two shards on two threads passes were 1.7 times as fast on rcv1s1
/// (101 weights per column), 1.1 times on Reuters-30 (30), and slower on CoNLL-2000 (22), where
/// eight shards with a processor each gain 1.2 times.
constexpr Index kLongColumn = 64;

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
  if (most <= 1) return 1;
  const Index height = WeightRuns(problem.data(), WeightRuns::kLeastPartWork).LeastRareHeight();
  return height == 0 || height >= kLongColumn ? static_cast<Index>(most) : 1;
}

}  // namespace slackline::internal
