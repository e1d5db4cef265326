// SPDX-License-Identifier: BSD-3-Clause
//
// Exact maximisation on any graph, for few variables: dual block-coordinate ascent, then
// depth-first branch and bound.
//
// 1. Ascent. Scores are reparametrised (θ_i + Σ_c δ_ci, θ_c − Σ_i A_ciᵀ δ_ci: every labelling keeps
//    its score) so that Σ_parts max falls. One update of variable i takes the max-marginals m_ci of
//    its N_i factors, b = θ_i + Σ_c m_ci, and makes all of them and θ_i itself equal to b / (N_i +
//    1): the star update of max-product linear programming (Globerson and Jaakkola 2007; Sontag,
//    Globerson and Jaakkola 2011). It never raises the bound. Sweeps over all variables until the
//    bound stands still.
// 2. Search. Variables are set in a fixed order. When all variables of a factor but one are set,
//    the remaining row of its table is added to that variable's scores; before, its largest entry
//    given what is set counts. The bound of a node is exact for set parts plus these maxima:
//    O(factors of the variable) per step.
//
// The ascent runs at the root only. Cost: up to K^n nodes; with 22 binary variables and all pairs
// some hundreds were needed for random spin glasses, some tens where the variables have scores of
// their own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

struct SearchOptions {
  /// Nodes after which the search gives up: the result is then the best labelling found, exact =
  /// false, and upper_bound covers what was not searched. The default is never reached with up to
  /// 2^22 labellings.
  Offset node_limit = Offset{1} << 24;
  Index max_sweeps = 60;  ///< of the ascent
  /// Labellings to begin with are improved by joint changes of a factor's variables, too (more than
  /// 24 variables). Not worth it where the scores show a good one at once.
  bool joint_changes = true;
};

class BranchAndBoundSolver final : public MapSolver {
 public:
  /// Throws DataError when the graph has more than 20 000 variables: the search goes down variable
  /// by variable.
  explicit BranchAndBoundSolver(std::shared_ptr<const FactorGraph> graph,
                                const SearchOptions& options = {});
  ~BranchAndBoundSolver() override;

  /// Scores may be −∞. Also throws DataError when it reaches its limit before it has found an
  /// allowed labelling.
  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override;

  std::string_view name() const override { return "search"; }
  std::int64_t work() const override { return work_; }
  bool relaxed() const override { return false; }

  void set_node_limit(Offset nodes) { options_.node_limit = nodes; }

  /// Nodes of the last call; 0 when the ascent was enough.
  Offset nodes() const { return nodes_; }

 private:
  /// Solve where no score is −∞.
  void SolveFinite(std::span<const double> scores, MapResult* result);

  class Ascent;
  class Tree;
  std::shared_ptr<const FactorGraph> graph_;
  SearchOptions options_;
  std::unique_ptr<Ascent> ascent_;
  std::unique_ptr<Tree> tree_;
  std::vector<double> finite_;  // scores with a penalty in place of −∞
  Offset nodes_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
