// SPDX-License-Identifier: BSD-3-Clause
//
// Rounding of fractional solutions to labellings, and local search from labellings. Deterministic;
// safe to call from several threads.
#pragma once

#include <span>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// labels_i = argmax_s μ_i(s), the lowest of equal states. Reads only the variables' part of
/// `marginals`.
void RoundMarginals(const FactorGraph& graph, std::span<const double> marginals,
                    std::span<Index> labels);

/// Σ_a θ_a(y_a), summed over variables first, then over factors. All comparisons of labellings use
/// this order of summation.
double LabellingScore(const FactorGraph& graph, std::span<const double> scores,
                      std::span<const Index> labels);

struct ImproveOptions {
  Index max_sweeps = 100;
  /// Joint changes of all variables of a factor are tried for tables of at most this size.
  Index max_joint_states = 64;
};

/// Local search: changes single variables (iterated conditional modes) until no change gains, then
/// all variables of one factor at a time, and starts again after a gain. Returns the score of the
/// result, which is not lower than that of the given labels. Scores may be −∞. A sweep takes O(Σ_i
/// K_i N_i) over variables, O(Σ_c states · neighbouring factors) over factors.
double ImproveLabelling(const FactorGraph& graph, std::span<const double> scores,
                        std::span<Index> labels, const ImproveOptions& options = {});

}  // namespace slackline::internal
