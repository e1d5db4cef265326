// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes that losses and scores of a problem may have (problem.h).
#pragma once

#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Σ_i max_s Δ_i(s) of example m, or 1 with the loss 1 − F1: no labelling of it has a larger loss.
/// One that reaches it may be forbidden.
double LargestLoss(const Problem& problem, Index m);

/// ScoreScale (problem.h) where parts have another mean squared range of features than the problem
/// says, as with kernels. Requires squared_range ≥ 0.
double ScoreScale(const Problem& problem, double squared_range);

}  // namespace slackline::internal
