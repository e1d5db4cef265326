// SPDX-License-Identifier: BSD-3-Clause
//
// What remains of a factor graph when states are forbidden: step 1 of inference/presolve.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// The part of a graph that remains when some states are forbidden. Immutable.
class ReducedGraph {
 public:
  /// forbidden: one flag for each state of each part, in the graph's order. Requires a graph
  /// without global factors. O(Σ_c axes · states), several times where removals spread.
  ReducedGraph(const FactorGraph& graph, std::span<const std::uint8_t> forbidden);

  /// False when a variable has no state left: then no labelling is allowed, and the other functions
  /// must not be called.
  bool possible() const { return graph_ != nullptr; }
  const std::shared_ptr<const FactorGraph>& graph() const { return graph_; }

  /// The scores of the remaining graph; −∞ for forbidden joint states. Returns the sum of the
  /// scores of the parts that have one state left.
  double Reduce(std::span<const double> scores, std::vector<double>* out) const;
  /// A labelling of the whole graph from one of the remaining graph.
  void ExpandLabels(std::span<const Index> labels, std::vector<Index>* out) const;
  /// Marginals of the whole graph, `out.size()` = its total_states().
  void ExpandMarginals(std::span<const double> marginals, std::span<double> out) const;

 private:
  std::shared_ptr<const FactorGraph> graph_;
  std::vector<Index> number_;   // per variable: its number in the remaining graph, or −1
  std::vector<Index> fixed_;    // per variable: its only state, where one is left
  std::vector<Offset> begin_;   // per remaining variable, and one more: begin of its states
  std::vector<Index> state_;    // of the remaining states: number in the whole graph
  std::vector<Offset> source_;  // per remaining state of all parts: its place, or −1 if forbidden
  struct Fold {
    Offset to, from;
  };
  std::vector<Fold> folds_;        // of factors with one variable left
  std::vector<Offset> constants_;  // places of the only states of parts
};

}  // namespace slackline::internal
