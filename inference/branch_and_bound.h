// SPDX-License-Identifier: BSD-3-Clause
//
// Exact maximisation on any graph, for few variables: dual block-coordinate ascent, then
// depth-first branch and bound.
//
// 1. Ascent. Scores are reparametrised (θ_i + Σ_c δ_ci, θ_c − Σ_i A_ciᵀ δ_ci: every labelling keeps
//    its score) so that the bound Σ_parts max falls. One update of variable i takes the
//    max-marginals m_ci of its N_i factors, b = θ_i + Σ_c m_ci, and makes all m_ci and θ_i equal to
//    b / (N_i + 1): the star update of max-product linear programming (Globerson and Jaakkola 2007;
//    Sontag, Globerson and Jaakkola 2011). The update never raises the bound. Sweeps over all
//    variables are made until the bound hardly falls any more.
// 2. Depth-first branch and bound. Variables are set in a fixed order. When all variables of a
//    factor but one are set, the remaining row of its table is added to that variable's scores.
//    Before that, the factor counts with the largest entry that its set variables allow. The bound
//    of a node is the score of the parts that are set plus these maxima: O(factors of the
//    variable) per step.
//
// The ascent runs only at the root. Cost: up to K^n nodes. With 22 binary variables and all pairs,
// hundreds of nodes were needed for random spin glasses, and tens of nodes where the variables have
// scores of their own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

struct BranchAndBoundOptions {
  /// Number of nodes after which the search gives up. The result is then the best labelling found,
  /// with exact = false and an upper_bound that covers the open nodes. The default is never reached
  /// with up to 2^22 labellings.
  Offset node_limit = Offset{1} << 24;
  Index max_sweeps = 60;  ///< most sweeps of the ascent
  /// Whether the first labellings are improved also by joint changes of a factor's variables, on
  /// graphs of more than 24 variables. After message passing this seldom helps.
  bool joint_changes = true;
};

class BranchAndBoundSolver final : public MapSolver {
 public:
  /// Throws DataError when the graph has global factors, or more than 20 000 variables: the
  /// recursion has one level per variable.
  explicit BranchAndBoundSolver(std::shared_ptr<const FactorGraph> graph,
                                const BranchAndBoundOptions& options = {});
  ~BranchAndBoundSolver() override;

  /// Throws as RequireFiniteScores.
  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override;

  std::string_view name() const override { return "branch-and-bound"; }
  std::int64_t work() const override { return work_; }
  bool relaxed() const override { return false; }

  void set_node_limit(Offset nodes) { options_.node_limit = nodes; }

  /// Number of nodes of the last call; 0 when the ascent sufficed.
  Offset nodes() const { return nodes_; }

 private:
  class Ascent;
  class Tree;
  std::shared_ptr<const FactorGraph> graph_;
  BranchAndBoundOptions options_;
  std::unique_ptr<Ascent> ascent_;
  std::unique_ptr<Tree> tree_;
  Offset nodes_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
