// SPDX-License-Identifier: BSD-3-Clause
//
// The factor graph: variables with their numbers of states, factors with their scopes. Structure
// only: no scores, no weights, no data. Immutable, made by FactorGraphBuilder, and shared by all
// examples that have the same graph.
//
// A *part* is a variable or a factor: parts 0 … n−1 are the variables, parts n … n+C−1 the factors.
// The joint states of a factor are numbered with the last variable of its scope fastest. Tables of
// all parts lie one after the other in one flat array (state_offset); messages of all (factor,
// variable) edges in another (message_offset).
//
// *Global factors* (global_factor.h) have a scope, but no table: they are numbered apart, from 0,
// have no place in the flat arrays, and are neither parts nor factors in the sense of the functions
// below.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

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
  Index num_global_factors() const { return static_cast<Index>(global_begin_.size()) - 1; }
  /// Number of parts and global factors, which are the blocks of learners on factor blocks. Block
  /// num_parts() + g is global factor g.
  Index num_blocks() const { return num_parts() + num_global_factors(); }

  /// Number of states of variable i.
  Index cardinality(Index i) const { return cardinality_[i]; }
  std::span<const Index> cardinalities() const { return cardinality_; }

  /// The variables of factor c, in the order of its table's axes (last one fastest).
  std::span<const Index> scope(Index c) const {
    return std::span(scope_.data() + scope_begin_[c], scope_begin_[c + 1] - scope_begin_[c]);
  }

  /// The variables of global factor g, in the order of its axes.
  std::span<const Index> global_scope(Index g) const {
    return std::span(global_scope_.data() + global_begin_[g],
                     global_begin_[g + 1] - global_begin_[g]);
  }

  /// The factors (with tables) that contain variable i, by factor number.
  std::span<const Incidence> factors_of(Index i) const {
    return std::span(incidence_.data() + incidence_begin_[i],
                     incidence_begin_[i + 1] - incidence_begin_[i]);
  }

  /// Number of (joint) states of a part.
  Index num_states(Index part) const {
    return static_cast<Index>(state_begin_[part + 1] - state_begin_[part]);
  }
  Index factor_states(Index c) const { return num_states(num_variables() + c); }

  /// Where the table of a part begins in a flat array over the states of all parts.
  Offset state_offset(Index part) const { return state_begin_[part]; }
  Offset factor_offset(Index c) const { return state_offset(num_variables() + c); }
  Offset total_states() const { return state_begin_.back(); }
  /// States of the variables alone: the first entries of the flat array.
  Offset variable_states() const { return state_begin_[num_variables_]; }

  /// Edges (factor, position), numbered factor by factor.
  Index num_edges() const { return static_cast<Index>(scope_.size()); }
  Index edge(Index c, Index position) const {
    return static_cast<Index>(scope_begin_[c]) + position;
  }
  /// Where the message δ_ci of an edge (as many entries as i has states) begins in a flat array
  /// over all edges.
  Offset message_offset(Index edge) const { return message_begin_[edge]; }
  Offset total_messages() const { return message_begin_.back(); }

 private:
  friend class FactorGraphBuilder;
  FactorGraph() = default;

  Index num_variables_ = 0;
  std::vector<Index> cardinality_;
  std::vector<Offset> scope_begin_;  // per factor, into scope_
  std::vector<Index> scope_;
  std::vector<Offset> global_begin_{0};  // per global factor, into global_scope_
  std::vector<Index> global_scope_;
  std::vector<Offset> incidence_begin_;  // per variable, into incidence_
  std::vector<Incidence> incidence_;
  std::vector<Offset> state_begin_;    // per part
  std::vector<Offset> message_begin_;  // per edge
};

/// Splits the joint state of a factor into the states of its variables. `states` has as many
/// entries as the scope.
void JointToStates(const FactorGraph& graph, Index c, Index joint, std::span<Index> states);

/// The joint state of factor c under a labelling of all variables of the graph.
Index JointState(const FactorGraph& graph, Index c, std::span<const Index> labels);

/// The states of global factor g under a labelling of all variables. `states` has as many entries
/// as its scope.
void GlobalStates(const FactorGraph& graph, Index g, std::span<const Index> labels,
                  std::span<Index> states);

/// Throws DataError when the graph has global factors; for solvers that need tables. `solver`
/// begins the message ("dynamic programming").
void RequireTablesOnly(const FactorGraph& graph, std::string_view solver);

}  // namespace slackline::internal
