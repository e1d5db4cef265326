// SPDX-License-Identifier: BSD-3-Clause
//
// The K best labellings of a chain, all different. The labellings that are not found yet are
// divided by the first variable at which they differ from a found one; the best labelling of each
// part follows from the beliefs that ChainDp keeps. After the first labelling each one takes n·K
// operations and memory n. Reference: Lawler, "A procedure for computing the K best
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

/// The `count` ≥ 1 best labellings of the chain that are not forbidden (score −∞), or all where
/// there are fewer. Scores fall; equal ones are in lexicographic order of the labels (where sums
/// are rounded, labellings may count as equal or not by the last bits). The first is that of
/// ChainDp::Maximise.
std::vector<RankedLabelling> KBestLabellings(ChainDp* chain, std::span<const double> unary,
                                             Index count);

}  // namespace slackline::internal
