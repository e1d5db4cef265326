// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `soft --shards P` and `al --shards P`: factor blocks whose examples are dealt into P
// shards (round_learner.h).
//
// The dual of `soft` never falls while ρ stays the same. In `al` it is the augmented Lagrangian
// with fixed multipliers that no round lets fall; multipliers change at the end of a round, instead
// of after every visit, and with them the function. ρ, τ, the visits per update and the passes over
// all pairs follow sums over all shards, as they follow sums over all examples without shards.
// Certificates are those of one chain (factor_certificate.h), with sums in the order of the shards.
#pragma once

#include <memory>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/shards/round_learner.h>

namespace slackline::internal {

/// Require options.shards ≥ 2 and what MakeSoftLearner or MakeAugmentedLagrangianLearner requires.
std::unique_ptr<RoundLearner> MakeShardedSoftLearner(const Problem& problem,
                                                     const TrainOptions& options);
std::unique_ptr<RoundLearner> MakeShardedLagrangianLearner(const Problem& problem,
                                                           const TrainOptions& options);

}  // namespace slackline::internal
