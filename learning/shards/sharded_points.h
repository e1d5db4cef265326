// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `bcfw --step fw --shards P` and `prox-sdca --shards P`: example blocks with one dual
// point per example (point_blocks.h), whose examples are dealt into P shards (round_learner.h).
//
// With an l1 term the best shares maximise a bound on the dual (best_shares.h). Step 2 of prox-sdca
// takes its length from the same bound, so that the dual never falls, but the shares may be smaller
// than in an exact line search. Steps 4 and 5 use the largest bound of the shard's own examples.
#pragma once

#include <memory>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/shards/round_learner.h>

namespace slackline::internal {

/// Requires options.shards ≥ 2 and a line search: no fixed step.
std::unique_ptr<RoundLearner> MakeShardedBcfwLearner(const Problem& problem,
                                                     const TrainOptions& options);
/// Requires options.shards ≥ 2 and what MakeProxSdcaLearner requires.
std::unique_ptr<RoundLearner> MakeShardedProxSdcaLearner(const Problem& problem,
                                                         const TrainOptions& options);

}  // namespace slackline::internal
