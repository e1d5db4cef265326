// SPDX-License-Identifier: BSD-3-Clause
//
// The order of messages on graphs without cycles, leaves first, and the axes of the factors'
// tables, for max-product (tree_dp.h) and sum-product (sum_product.h).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// One axis of a factor's table: entry (o, s, r) lies at (o · states + s) · inner + r.
struct ForestAxis {
  Index variable;
  Index outer;
  Index states;
  Index inner;
};

/// One step: a factor sends its parent variable a message about everything below the factor.
struct ForestStep {
  Offset table;      ///< begin of the factor's scores in those of the graph
  Index size;        ///< number of the factor's scores
  Index first_axis;  ///< for ForestSteps::axes
  Index num_axes;
  Index parent;    ///< number of the parent's axis
  Offset message;  ///< begin of the message in an array of all factors' messages
};

class ForestSteps {
 public:
  /// Requires a graph without cycles and without global factors. O(Σ_c |c|).
  explicit ForestSteps(const FactorGraph& graph);

  std::span<const ForestStep> steps() const { return steps_; }  ///< one per factor, leaves first
  std::span<const Index> roots() const { return roots_; }       ///< one variable per component
  std::span<const ForestAxis> axes(const ForestStep& step) const {
    return std::span(axes_.data() + step.first_axis, step.num_axes);
  }

  Index largest_table() const { return largest_table_; }     ///< 0 without factors
  Index most_states() const { return most_states_; }         ///< largest cardinality of a variable
  Offset message_states() const { return message_states_; }  ///< entries of all messages together

 private:
  std::vector<ForestStep> steps_;
  std::vector<Index> roots_;
  std::vector<ForestAxis> axes_;
  Index largest_table_ = 0;
  Index most_states_ = 0;
  Offset message_states_ = 0;
};

}  // namespace slackline::internal
