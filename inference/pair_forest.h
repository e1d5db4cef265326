// SPDX-License-Identifier: BSD-3-Clause
//
// Max-product (factors/max_product.h) on forests of pairs: chains, stars, trees whose factors join
// two variables. For training, where factors share tables. Results and ties are as with TreeSolver.
//
// A variable with states r sends max_r [table(r, s) + b_r] to its parent with states s, in whole
// vectors of states s (pair_tables.h). With V variables of K states and one shared table this takes
// V·K² vector operations, or V·K with a Potts table; no array of size V·K² is read or written.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/pair_tables.h>

namespace slackline::internal {

/// Keeps scores and work space for one graph: one object per thread.
class PairForest {
 public:
  /// Whether the graph is a forest all of whose factors join two variables.
  static bool Fits(const FactorGraph& graph);

  /// table_of: as for MessagePassing, but must not be empty. Throws std::invalid_argument unless
  /// Fits(*graph), and as MessagePassing does.
  PairForest(std::shared_ptr<const FactorGraph> graph, std::span<const Index> table_of);

  /// Scores of all states of all variables, in the graph's order. The caller must write them before
  /// each call of Maximise, which overwrites them.
  std::span<double> variable_scores() { return belief_; }
  /// Sets the scores of all joint states of a table.
  void SetTable(Index table, std::span<const double> scores) { tables_.Set(table, scores); }

  /// Writes the best labelling (one state per variable) and returns its value. Scores may be −∞
  /// (forbidden states); throws DataError when no labelling is allowed.
  double Maximise(std::span<Index> labels);

  /// About the nanoseconds of a call of Maximise.
  Offset work() const;

 private:
  /// One variable sends a message to its parent.
  struct Step {
    Index variable, parent;
    PairTables::View view;  // the table seen from the parent
  };
  struct Sweeps;
  double* belief(Index variable) { return belief_.data() + graph_->state_offset(variable); }

  std::shared_ptr<const FactorGraph> graph_;
  PairTables tables_;
  std::vector<Step> steps_;  // leaves first
  std::vector<Index> roots_;
  std::vector<double> belief_;
  std::vector<double> message_;
};

}  // namespace slackline::internal
