// SPDX-License-Identifier: BSD-3-Clause
//
// How the examples of a training set are dealt into shards: consecutive runs of nearly equal
// length, so that a file can be read piece by piece.
#pragma once

#include <slackline/core/loss.h>
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

/// The examples of a range alone, with the same λ. They share inputs and structures with the
/// problem; labels, potentials and losses are copied. Requires a range that is not empty.
Problem ProblemOfRange(const Problem& problem, const ExampleRange& range);

}  // namespace slackline::internal
