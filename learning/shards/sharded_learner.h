// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bcfw --shards P` with pairwise or away steps: example blocks with active sets
// (active_set_learner.h), whose examples are dealt into P shards (round_learner.h).
#pragma once

#include <memory>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/shards/round_learner.h>

namespace slackline::internal {

/// Requires options.shards ≥ 2.
std::unique_ptr<RoundLearner> MakeShardedLearner(const Problem& problem,
                                                 const TrainOptions& options);

}  // namespace slackline::internal
