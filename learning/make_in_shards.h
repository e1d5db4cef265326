// SPDX-License-Identifier: BSD-3-Clause
//
// Learners whose examples are dealt into shards (learning/shards). The records of learners call
// this function where --shards is larger than 1.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Requires options.shards ≥ 2 and a learner that reads --shards: bcfw, prox-sdca, soft or al.
/// Throws DataError when the examples cannot be dealt (shard_deal.h).
std::unique_ptr<Learner> MakeInShards(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
