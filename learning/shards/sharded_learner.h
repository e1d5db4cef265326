// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bcfw --shards P` with pairwise or away steps: example blocks with active sets
// (active_set_learner.h), whose examples are dealt into P shards. All shards begin a round with the
// same weights and make visits side by side, each on its own copy of the weights, until their work
// reaches a limit. Then an exact line search in P dimensions combines their changes
// (shard_exchange.h), so that the dual never falls. The result depends on P and not on the number
// of threads.
//
// A round is as short as the cost of exchanging weights allows: the fewer visits of other shards
// are missing from the weights of a visit, the more its step is worth (docs/notebook/shards.md).
//
// Sources: Jaggi and others, "Communication-efficient distributed dual coordinate ascent", NIPS
// 2014; Ma and others, "Adding vs. averaging in distributed primal-dual optimization", ICML 2015.
// Instead of adding with a fixed σ' or averaging, shares follow from the line search, and σ' from
// the shares.
#pragma once

#include <memory>
#include <span>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The part of the learner that tests use.
class ShardedLearnerBase : public Learner {
 public:
  /// The common weights that the steps have reached: Ψα where there is no proximal centre.
  virtual std::span<const double> reached() const = 0;
};

/// Requires options.shards ≥ 2.
std::unique_ptr<ShardedLearnerBase> MakeShardedLearner(const Problem& problem,
                                                       const TrainOptions& options);

}  // namespace slackline::internal
