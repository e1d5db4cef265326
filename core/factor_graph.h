// SPDX-License-Identifier: BSD-3-Clause
//
// The factor graph: variables with their numbers of states, factors with their scopes. Structure only: no scores, no
// weights, no data. Immutable, made by FactorGraphBuilder, and shared by all examples that have the same graph.
//
// A *part* is a variable or a factor: parts 0 … n−1 are the variables, parts n … n+C−1 the factors. The joint states of
// a factor are numbered with the last variable of its scope fastest. Tables of all parts lie one after the other in one
// flat array (state_offset); messages of all (factor, variable) edges in another (message_offset).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>

namespace slackline {

/// Where a variable occurs: in `factor`, as number `position` of its scope.
struct Incidence {
  Index factor = 0;
  Index position = 0;
};

class FactorGraph {
 public:
  Index num_variables() const { return num_variables_; }
  Index num_factors() const { return static_cast<Index>(scope_begin_.size()) - 1; }
  Index num_parts() const { return num_variables() + num_factors(); }

  /// Number of states of variable i.
  Index cardinality(Index i) const { return cardinality_[static_cast<std::size_t>(i)]; }
  std::span<const Index> cardinalities() const { return cardinality_; }

  /// The variables of factor c, in the order of its table's axes (last one fastest).
  std::span<const Index> scope(Index c) const {
    const auto k = static_cast<std::size_t>(c);
    return {scope_.data() + scope_begin_[k], static_cast<std::size_t>(scope_begin_[k + 1] - scope_begin_[k])};
  }

  /// The factors that contain variable i (N_i of them), by factor number.
  std::span<const Incidence> factors_of(Index i) const {
    const auto k = static_cast<std::size_t>(i);
    return {incidence_.data() + incidence_begin_[k],
            static_cast<std::size_t>(incidence_begin_[k + 1] - incidence_begin_[k])};
  }

  /// Number of (joint) states of a part.
  Index num_states(Index part) const {
    const auto k = static_cast<std::size_t>(part);
    return static_cast<Index>(state_begin_[k + 1] - state_begin_[k]);
  }
  Index factor_states(Index c) const { return num_states(num_variables() + c); }

  /// Where the table of a part begins in a flat array over the states of all parts.
  Offset state_offset(Index part) const { return state_begin_[static_cast<std::size_t>(part)]; }
  Offset factor_offset(Index c) const { return state_offset(num_variables() + c); }
  Offset total_states() const { return state_begin_.back(); }
  /// States of the variables alone: the first entries of the flat array.
  Offset variable_states() const { return state_begin_[static_cast<std::size_t>(num_variables_)]; }

  /// Edges (factor, position), numbered factor by factor.
  Index num_edges() const { return static_cast<Index>(scope_.size()); }
  Index edge(Index c, Index position) const {
    return static_cast<Index>(scope_begin_[static_cast<std::size_t>(c)]) + position;
  }
  /// Where the message δ_ci of an edge (as many entries as i has states) begins in a flat array over all edges.
  Offset message_offset(Index edge) const { return message_begin_[static_cast<std::size_t>(edge)]; }
  Offset total_messages() const { return message_begin_.back(); }

 private:
  friend class FactorGraphBuilder;
  FactorGraph() = default;

  Index num_variables_ = 0;
  std::vector<Index> cardinality_;
  std::vector<Offset> scope_begin_;  // per factor, into scope_
  std::vector<Index> scope_;
  std::vector<Offset> incidence_begin_;  // per variable, into incidence_
  std::vector<Incidence> incidence_;
  std::vector<Offset> state_begin_;    // per part
  std::vector<Offset> message_begin_;  // per edge
};

/// Splits the joint state of a factor into the states of its variables. `states` has as many entries as the scope.
void JointToStates(const FactorGraph& graph, Index c, Index joint, std::span<Index> states);

/// The joint state of factor c under a labelling of all variables of the graph.
Index JointState(const FactorGraph& graph, Index c, std::span<const Index> labels);

}  // namespace slackline
