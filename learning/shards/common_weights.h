// SPDX-License-Identifier: BSD-3-Clause
//
// The weights that all shards have in common between rounds. Shards read them during a round, and
// only the exchange after the round changes them (shard_exchange.h). Each shard has a copy, to
// which its visits add. Frequent weights of a copy are brought up to date after every part of a
// round. Other columns are brought up to date only before a visit that uses them, so that the cost
// of a round does not grow with the changes of shards that share no features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/shards/weight_runs.h>

namespace slackline::internal {

struct CommonWeights {
  CommonWeights(const Dataset& data, std::int64_t part_work, Ranks& ranks)
      : runs(data, part_work, ranks),
        values(data.layout().size(), 0.0),
        frequent(runs.num_frequent(), 0.0),
        changed_in(runs.num_columns(), 0) {}

  WeightRuns runs;
  std::vector<double> values;  ///< at the beginning of the round
  /// The frequent weights after the last part of the round, one run after the other.
  std::vector<double> frequent;
  std::int32_t round = 0;                ///< number of rounds since BeginAgain
  std::vector<std::int32_t> changed_in;  ///< per column: the last round that changed it

  /// Call it before all shards take all values (Shard::TakeWeights).
  void BeginAgain() {
    ReadFrequent();
    round = 0;
    std::fill(changed_in.begin(), changed_in.end(), 0);
  }

  /// Sets `frequent` to `values`.
  void ReadFrequent() {
    double* to = frequent.data();
    for (const WeightRun& run : runs.frequent()) {
      const double* const from = values.data() + run.begin;
      to = std::copy(from, from + run.count, to);
    }
  }
};

}  // namespace slackline::internal
