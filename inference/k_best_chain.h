// SPDX-License-Identifier: BSD-3-Clause
//
// The K best labellings of a chain, all different. The first variable at which a remaining
// labelling differs from one that was found divides the remaining labellings into parts; the
// beliefs that ChainDp keeps give the best labelling of each part. After the first, each labelling
// takes n·K operations and memory n. Reference: Lawler, "A procedure for computing the K best
// solutions to discrete optimization problems …", Management Science 18 (1972).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/inference/chain_dp.h>

namespace slackline::internal {

struct RankedLabelling {
  double value = 0;
  std::vector<Index> labels;
};

/// The `count` ≥ 1 best labellings of the chain that are not forbidden (score −∞), or all of them
/// if there are fewer. They are sorted by falling score, and where scores are equal by
/// lexicographic order of the labels (rounding may make equal sums differ in the last bits). The
/// first one is the labelling of ChainDp::Maximise. Throws std::invalid_argument when count < 1.
std::vector<RankedLabelling> KBestLabellings(ChainDp* chain, std::span<const double> unary,
                                             Index count);

}  // namespace slackline::internal
