// SPDX-License-Identifier: BSD-3-Clause
//
// How large the losses and scores of a problem can be (problem.h).
#pragma once

#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Σ_i max_s Δ_i(s) of example m, or 1 with the loss 1 − F1: an upper bound on the loss of its
/// labellings. The labelling that attains it may be forbidden.
double LargestLoss(const Problem& problem, Index m);

/// ScoreScale (problem.h) with another mean squared range of the features than that of the problem,
/// as kernels need. Requires squared_range ≥ 0.
double ScoreScale(const Problem& problem, double squared_range);
/// The same of the numbers themselves: λ, the mean squared range, and the mean number of parts of an
/// example.
double ScoreScale(double lambda, double squared_range, double parts_per_example);

}  // namespace slackline::internal
