// SPDX-License-Identifier: BSD-3-Clause
//
// How the examples of a training set are dealt into shards: consecutive runs of nearly equal
// length, so that a file can be read piece by piece. Shards are dealt to ranks (core/ranks.h) in
// the same way.
#pragma once

#include <vector>

#include <slackline/core/loss.h>
#include <slackline/core/ranks.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Examples begin … end − 1.
struct ExampleRange {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
};

/// The examples of shard number `shard` of `shards` ≥ 1. May be empty when there are fewer examples
/// than shards.
ExampleRange RangeOfShard(Index examples, Index shards, Index shard);

/// The shards that a rank has, and its examples.
struct ShardPlan {
  Index total = 1;         ///< P, the shards of all ranks
  Index first = 0;         ///< number of the rank's first shard
  Index num_examples = 0;  ///< M, of all ranks
  std::vector<Index>
      begin;  ///< of the rank's shards: their first examples among those of the rank,
              ///< then the number of all of them
  Index count() const { return static_cast<Index>(begin.size()) - 1; }
  ExampleRange range(Index k) const { return {begin[k], begin[k + 1]}; }
};

/// Deals the examples of all ranks into `wanted` ≥ 1 shards, or into one shard per example if there
/// are fewer examples. If every rank has exactly the examples of its shards in this deal, the
/// result does not depend on the number of ranks. Otherwise every rank deals its own examples, and
/// all ranks have equally many shards. examples: the number on this rank; 0 is allowed where there
/// are fewer shards than ranks. Throws DataError on all ranks when there are no examples, when
/// fewer shards than ranks are wanted, and when ranks must deal their own examples but cannot have
/// equally many shards.
ShardPlan PlanShards(Index examples, Index wanted, Ranks& ranks);

/// The examples of a range alone, with the same λ. The result shares inputs and structures with the
/// problem; labels, potentials and losses are copied. Requires a range that is not empty.
Problem ProblemOfRange(const Problem& problem, const ExampleRange& range);

}  // namespace slackline::internal
