// SPDX-License-Identifier: BSD-3-Clause
//
// Exact sum-product on graphs without cycles, factors of any order: for scores θ and a temperature
// T > 0, the marginals of the distribution p(y) ∝ exp(Σ_a θ_a(y_a) / T) and its log-partition
// T log Σ_y exp(Σ_a θ_a(y_a) / T), which tends to the maximum of max-product (tree_dp.h) as T goes
// to 0.
//
// Parts are visited leaves first. The belief of a variable is b_i = θ_i + Σ_{finished c∋i} m_ci. A
// factor sends to its parent p m_cp(s) = T log Σ_{y_c : y_p = s} exp((θ_c(y_c) + Σ_{i∈c, i≠p}
// b_i(y_i)) / T), with the largest term factored out of the sum, so that nothing overflows at any
// temperature. The terms of the sum, divided by the sum, are the distribution of the factor's other
// variables given y_p. The sweep back from the roots multiplies this distribution by the marginal
// of p. So a call takes one exponential per joint state, and a factor's marginals sum to the
// marginals of its variables.
//
// Cost O(Σ_c |c| · states of c) per call, exponentials in vectors of four; memory O(states of the
// variables + largest table).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/forest_steps.h>

namespace slackline::internal {

/// Keeps work space for one graph: one object per thread.
class SumProduct {
 public:
  /// Throws DataError when the graph has a cycle or global factors.
  explicit SumProduct(std::shared_ptr<const FactorGraph> graph);

  /// Writes μ_a(y_a) of all parts to `marginals`, in the flat order of the graph, and returns the
  /// log-partition (in the units of the scores). Both spans have total_states() entries. Scores are
  /// finite, or −∞ for forbidden states, whose marginals are exactly 0. Throws
  /// std::invalid_argument unless the temperature is > 0, and finite like its inverse; DataError
  /// when every labelling has a score of −∞. Up to rounding (1e-12 for graphs of thousands of
  /// variables) the marginals of a part sum to 1, and a factor's marginals sum to those of its
  /// variables. Does not allocate.
  double Marginals(std::span<const double> scores, double temperature, std::span<double> marginals);

  /// The log-partition alone, by the first of the two sweeps, with the same requirements.
  double LogPartition(std::span<const double> scores, double temperature);

 private:
  double* belief(Index variable) { return belief_.data() + graph_->state_offset(variable); }

  /// Sweeps from the leaves to the roots; returns the log-partition. tables: the span of the
  /// marginals, in which the tables of factors become unnormalised conditionals, or empty.
  double Upward(std::span<const double> scores, double temperature, std::span<double> tables);
  void SendUp(const ForestStep& step, std::span<const double> scores, double temperature,
              double* table);
  void SendDown(const ForestStep& step, std::span<double> marginals);

  std::shared_ptr<const FactorGraph> graph_;
  ForestSteps forest_;
  std::vector<double> belief_;  // b_i; after Upward the marginals at the roots
  std::vector<double> sums_;    // the sums of all messages
  std::vector<double> shift_;   // largest terms of one message
  std::vector<double> work_;    // one table
};

}  // namespace slackline::internal
