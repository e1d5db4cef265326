// SPDX-License-Identifier: BSD-3-Clause
//
// Max-product (factors/max_product.h) on forests of pairs: chains, stars, trees whose factors join
// two variables. It finds what TreeSolver finds, with the same rule for ties, for training, where
// factors share tables.
//
// A variable with states r sends max_r table(r, s) + b_r to its parent with states s, in whole
// vectors of states s (pair_tables.h). With V variables of K states and one shared table: V·K²
// vector operations, V·K with a Potts table; nothing of the size V·K² is read or written.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/pair_tables.h>

namespace slackline::internal {

/// Keeps scores and work space for one graph; not to be shared between threads.
class PairForest {
 public:
  /// Whether the graph is a forest all of whose factors join two variables.
  static bool Fits(const FactorGraph& graph);

  /// Requires Fits(*graph). table_of: as for MessagePassing.
  PairForest(std::shared_ptr<const FactorGraph> graph, std::span<const Index> table_of);

  /// Scores of all states of all variables, in the graph's order, to be written before each call of
  /// Maximise, which overwrites them.
  std::span<double> variable_scores() { return belief_; }
  /// Scores of all joint states.
  void SetTable(Index table, std::span<const double> scores) { tables_.Set(table, scores); }

  /// The best labelling (one state per variable); returns its value. Scores may be −∞ (forbidden
  /// states); throws DataError when no labelling is left.
  double Maximise(std::span<Index> labels);

  /// About the nanoseconds of a call.
  Offset work() const;

 private:
  struct Step {  // one variable hands over to its parent
    Index variable, parent;
    PairTables::View view;  // from the parent
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
