// SPDX-License-Identifier: BSD-3-Clause
//
// Exact maximisation on graphs without cycles by max-product (Viterbi) elimination, factors of any
// order.
//
// Parts are visited leaves first (factors/max_product.h). The belief of a variable is b_i = θ_i +
// Σ_{finished c∋i} m_ci. A factor sends to its parent p m_cp(s) = max_{y_c : y_p = s} θ_c(y_c) +
// Σ_{i∈c, i≠p} b_i(y_i). On the way back every factor takes a best joint state given its parent's
// state. On forests the local polytope is tight, so the result also solves the LP.
//
// Cost O(Σ_c |c| · states of c) per call; memory O(states of the variables + largest table). Ties:
// lowest state of the root, then lowest joint state of each factor.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/forest_steps.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {

class TreeSolver final : public MapSolver {
 public:
  /// Throws DataError when the graph has a cycle or global factors.
  explicit TreeSolver(std::shared_ptr<const FactorGraph> graph);

  /// Scores may be −∞ (forbidden); throws DataError when no labelling is allowed. Does not allocate
  /// after the first call with the same result. upper_bound = value, exact = true.
  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override;

  /// out[state_offset(i) + s] = max { θ·μ | y_i = s } for all variables and states, −∞ where no
  /// labelling with y_i = s is allowed. A second sweep goes from the roots back to the leaves, so
  /// the cost is about twice that of Solve. Requires out.size() == graph.variable_states(). Throws
  /// DataError when no labelling is allowed.
  void MaxMarginals(std::span<const double> scores, std::span<double> out);

  std::string_view name() const override { return "tree"; }
  std::int64_t work() const override { return calls_ * 2 * graph_->total_states(); }
  bool relaxed() const override { return false; }

 private:
  struct Sweeps;
  double* belief(Index variable) { return belief_.data() + graph_->state_offset(variable); }

  void Upward(std::span<const double> scores);
  const double* Join(const ForestStep& step, std::span<const double> scores, Index left_out);
  void SendMessage(const ForestStep& step, std::span<const double> scores, Index to,
                   double* message);
  void SendUp(const ForestStep& step, std::span<const double> scores);
  void ChooseStates(const ForestStep& step, std::span<const double> scores,
                    std::span<Index> labels);

  std::shared_ptr<const FactorGraph> graph_;
  ForestSteps forest_;
  std::vector<double> belief_;
  std::vector<double> work_;     // one joined table
  std::vector<double> message_;  // one message
  std::int64_t calls_ = 0;
};

}  // namespace slackline::internal
