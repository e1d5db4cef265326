// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// What the steps of one shard know of the other shards (learning/shards).
struct ShardSteps {
  Index total = 0;   ///< M, the examples of all shards
  double kappa = 0;  ///< κ of the proximal centre, which all shards have in common
  /// σ ≥ 1: steps allow for changes of the weights by other shards as if their own change were so
  /// many times as large. The weights of the shard move by as much.
  double caution = 1;
};

}  // namespace slackline::internal
