// SPDX-License-Identifier: BSD-3-Clause
//
// The best labelling when a gain depends on two counts:
//
//   max_y r(h, f) · θ(y) + g(h, f),   h = Σ_i a_i(y_i),   f = Σ_i b_i(y_i),   r ≥ 0,
//
// for any g and r, and whole numbers a_i, b_i ≥ 0 for each state. With a_i = 1 for the relevant
// labels and b_i = 1 for the others, h counts hits and f false alarms, and losses such as 1 − F1
// are such gains. With b_i = 1 for wrong states, f is the Hamming distance.
//
// Without factors, variables whose states count at most 1 are sorted by the gain of counting: for
// each count a prefix is best. Dynamic programming from the leaves solves forests of pairs and all
// other counts: T_i[s][h][f] is the best score of the subtree of i with y_i = s and the counts h
// and f in it. The best score for each pair of counts is enough, because r is not negative.
//
// | symbol     | variable         | shape                                          |
// |------------|------------------|------------------------------------------------|
// | a_i, b_i   | counts           | one pair for each state of each variable       |
// | g, r       | gains            | (largest h + 1) × (largest f + 1), row h       |
// | T_i        | Node::table      | states × (largest h below i + 1) × (same of f) |
//
// Cost with n variables, p of them with a_i = 1 and the others with b_i = 1: O(n log n + p (n − p))
// without factors. On forests with K states at most O(K n² p² + K² n p (n − p)), because joining
// two subtrees takes the product of the sizes of their tables; with one count O(K n² + K² n²).
// Memory O(K n² p), or O(K n²).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// a_i and b_i of one state.
struct StateCounts {
  Index first = 0;
  Index second = 0;
  bool operator==(const StateCounts&) const = default;
};

/// g and r for all pairs of counts, at index h · (largest f + 1) + f.
struct CountGains {
  std::span<const double> add;    ///< g, finite
  std::span<const double> times;  ///< r, finite and not negative; empty: 1 everywhere
};

/// Keeps work space: one object per thread.
class CountForest {
 public:
  /// Whether the graph has no cycle, no global factor, no factor over more than two variables, and
  /// no variable of more than 65 536 states.
  static bool Fits(const FactorGraph& graph);

  /// Requires Fits(*graph).
  explicit CountForest(std::shared_ptr<const FactorGraph> graph);

  /// Writes a best labelling and returns its value. scores: θ in the graph's order, finite, or −∞
  /// for forbidden states. counts: for the states of all variables in turn. Throws
  /// std::invalid_argument when sizes do not fit, or every labelling is forbidden.
  double Maximise(std::span<const double> scores, std::span<const StateCounts> counts,
                  const CountGains& gains, std::span<Index> labels);

  /// The largest h and f.
  StateCounts Largest(std::span<const StateCounts> counts) const;
  /// About how many table entries a call with these counts computes, at most. O(states).
  double CallWork(std::span<const StateCounts> counts) const;

  /// Table entries computed by all calls so far.
  std::int64_t work() const { return work_; }

 private:
  /// The record of joining a child's table to its parent's, from which the labelling is read.
  struct Join {
    Index parent = 0;  ///< num_variables: the sum over the components
    Index child = 0;
    Index factor = -1;  ///< −1 where the root of a component is joined to the sum
    /// Per entry of the new table: h · width + f, the counts within the child's subtree.
    std::vector<std::int32_t> counts;
    /// Per state of the parent and counts within the child's subtree: the child's state.
    std::vector<std::uint16_t> states;
    StateCounts largest;        ///< of the new table
    StateCounts child_largest;  ///< of the child's table
  };
  /// Scores by counts: entry (s · (largest.first + 1) + h) · (largest.second + 1) + f.
  struct Node {
    std::vector<double> table;
    StateCounts largest;
  };
  struct Best {
    double value = 0;
    std::size_t at = 0;  ///< index of the counts
  };

  bool Sort(std::span<const StateCounts> counts);
  double Sorted(const CountGains& gains, std::span<Index> labels);
  double Forest(std::span<const double> scores, const CountGains& gains,
                std::span<const StateCounts> counts, std::span<Index> labels);
  void Start(Index variable, std::span<const StateCounts> counts);
  void Pass(std::span<const double> factor_scores, std::size_t states, Join* join);
  void Merge(std::size_t states, Join* join);
  void ReadLabels(StateCounts counts, std::span<Index> labels) const;
  std::span<const StateCounts> OfVariable(std::span<const StateCounts> counts,
                                          Index variable) const;
  static StateCounts LargestOf(std::span<const StateCounts> counts);

  /// What sorting uses of a variable.
  struct Choice {
    double gain = 0;  ///< of counting
    Index plain = 0;  ///< best state that does not count
    Index counting = 0;
    Index variable = 0;
  };

  std::shared_ptr<const FactorGraph> graph_;
  std::vector<Join> joins_;      // in the order of elimination
  bool joined_ = false;          // whether a factor joins two variables
  std::vector<double> base_;     // scores of the variables' states
  std::vector<Node> nodes_;      // per variable, and one for all components together
  std::vector<double> message_;  // from a child, per state of its parent and counts
  std::vector<double> merged_;
  std::vector<Choice> order_[2];  // variables by their gains: those with f, those with h
  std::vector<double> prefix_[2];
  double plain_ = 0;     // the score where no variable counts
  StateCounts largest_;  // of all variables together
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
