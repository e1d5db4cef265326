// SPDX-License-Identifier: BSD-3-Clause
//
// From fractional solutions to labellings, and from labellings to better ones. Deterministic; safe
// to call from several threads.
#pragma once

#include <span>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// labels_i = argmax_s μ_i(s), ties to the lowest state. Only the variables' part of `marginals` is
/// read.
void RoundMarginals(const FactorGraph& graph, std::span<const double> marginals,
                    std::span<Index> labels);

/// Σ_a θ_a(y_a), variables first, then factors: the one order of summation in which labellings are
/// compared.
double LabellingScore(const FactorGraph& graph, std::span<const double> scores,
                      std::span<const Index> labels);

struct ImproveOptions {
  Index max_sweeps = 100;
  /// Joint changes of all variables of a factor are tried for tables of at most this size.
  Index max_joint_states = 64;
};

/// Local search: changes single variables (iterated conditional modes) until none gains, then all
/// variables of one factor at a time, and again from the beginning after a gain. The score never
/// falls. Scores may be −∞. Per sweep O(Σ_i K_i N_i) for the variables, O(Σ_c states · neighbouring
/// factors) for the factors. Returns the score of the result.
double ImproveLabelling(const FactorGraph& graph, std::span<const double> scores,
                        std::span<Index> labels, const ImproveOptions& options = {});

}  // namespace slackline::internal
