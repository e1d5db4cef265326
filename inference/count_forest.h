// SPDX-License-Identifier: BSD-3-Clause
//
// The best labelling of binary variables when a gain depends on two counts:
//
//   max_y θ(y) + g(h, f),   h = Σ_{i marked} y_i,   f = Σ_{i not marked} y_i,
//
// for any g. With the relevant labels marked, h counts hits and f false alarms, and losses such as
// 1 − F1 are such gains.
//
// Without factors the variables of each kind are sorted by the gain of state 1, so that for each
// count a prefix is best. Forests of pairs are solved by dynamic programming from the leaves:
// T_i[s][h][f] is the best score of the subtree of i with y_i = s and the counts h and f in it.
//
// | symbol | variable           | shape                                            |
// |--------|--------------------|--------------------------------------------------|
// | g      | gains              | (marked + 1) × (not marked + 1), row h           |
// | T_i    | Node::table        | 2 × (marked below i + 1) × (not marked below + 1) |
//
// Cost with n variables, p of them marked: O(n log n + p (n − p)) without factors. On forests at
// most O(n² p²), because joining two subtrees takes the product of the sizes of their tables;
// memory O(n² p).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// Keeps work space: one object per thread.
class CountForest {
 public:
  /// Whether all variables are binary, the graph has no cycle, no global factor, and no factor over
  /// more than two variables.
  static bool Fits(const FactorGraph& graph);

  /// Requires Fits(*graph).
  explicit CountForest(std::shared_ptr<const FactorGraph> graph);

  /// Writes a best labelling and returns θ(y) + g. scores: θ in the graph's order, finite. marked:
  /// 1 or 0 per variable. gains: g, finite, in the shape of the table above. Throws
  /// std::invalid_argument when sizes do not fit.
  double Maximise(std::span<const double> scores, std::span<const Index> marked,
                  std::span<const double> gains, std::span<Index> labels);

  /// Table entries computed by all calls so far.
  std::int64_t work() const { return work_; }

 private:
  /// The record of a child's table being joined to its parent's, for reading the labelling.
  struct Join {
    Index parent = 0;  ///< num_variables: the sum over the components
    Index child = 0;
    Index factor = -1;  ///< −1 where the root of a component is joined to the sum
    /// Per entry of the new table: h · width + f, the counts within the child's subtree.
    std::vector<std::int32_t> counts;
    /// Per state of the parent and counts within the child's subtree: the child's state.
    std::vector<std::uint8_t> states;
    Index hits = 0, others = 0;              ///< largest counts h and f of the new table
    Index child_hits = 0, child_others = 0;  ///< largest counts of the child's table
  };
  /// Scores by counts: entry (s · (hits + 1) + h) · (others + 1) + f.
  struct Node {
    std::vector<double> table;
    Index hits = 0, others = 0;
  };

  double Sorted(std::span<const double> gains, std::span<const Index> marked,
                std::span<Index> labels);
  double Forest(std::span<const double> scores, std::span<const double> gains,
                std::span<const Index> marked, std::span<Index> labels);
  void Start(Index variable, Index marked);
  void Pass(const Node& child, std::span<const double> factor_scores, bool child_first,
            std::size_t states, Join* join);
  void Merge(Node* parent, std::size_t states, Join* join);
  void ReadLabels(Index hits, Index others, std::span<Index> labels) const;

  std::shared_ptr<const FactorGraph> graph_;
  std::vector<Join> joins_;      // in the order of elimination
  std::vector<double> base_;     // per variable: scores of its two states
  std::vector<Node> nodes_;      // per variable, and one for all components together
  std::vector<double> message_;  // from a child, per state of its parent and counts
  std::vector<double> merged_;
  std::vector<Index> order_[2];  // variables by their gains: not marked, marked
  std::vector<double> prefix_[2];
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
