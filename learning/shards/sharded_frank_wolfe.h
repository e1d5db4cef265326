// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `fw --shards P`: Frank-Wolfe on all examples at once (batch_frank_wolfe.h), whose
// examples are dealt into P shards. Shard p finds the corners of its examples at the common
// weights, and so its own direction w_s^p − w^p. A step is an exact line search in P dimensions
// over these directions, not over their sum alone. It raises the dual at least as much as a step
// without shards from the same point.
//
// A pass has one round. As without shards, it steps towards the known corners and then calls the
// oracles at the new weights, which gives the primal of these weights as a by-product.
#pragma once

#include <memory>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/shards/round_learner.h>

namespace slackline::internal {

/// Requires options.shards ≥ 2 and a line search: no fixed step.
std::unique_ptr<RoundLearner> MakeShardedFrankWolfeLearner(const Problem& problem,
                                                           const TrainOptions& options);

}  // namespace slackline::internal
