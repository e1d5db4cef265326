// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// What the steps of one shard know of the other shards (learning/shards).
struct ShardSteps {
  Index total = 0;   ///< M, the examples of all shards
  double kappa = 0;  ///< κ of the proximal centre, which all shards have in common
  /// σ ≥ 1: steps allow for changes of the weights by other shards as if the step's own change were
  /// σ times as large, and change the weights of the shard by σ times as much.
  double caution = 1;
};

}  // namespace slackline::internal
