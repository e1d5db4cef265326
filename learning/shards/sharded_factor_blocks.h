// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `soft --shards P` and `al --shards P`: factor blocks whose examples are dealt into P
// shards (round_learner.h).
//
// The dual of `soft` never falls while ρ stays the same. The objective of `al` is the augmented
// Lagrangian, which never falls while the multipliers are fixed. They change at the end of a round,
// not after every visit. ρ, τ, the visits per update and the passes over all pairs depend on sums
// over all shards, as without shards they depend on sums over all examples. The certificate
// (factor_certificate.h) is that of a run without shards, with sums in the order of the shards.
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
