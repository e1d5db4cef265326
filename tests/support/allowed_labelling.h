// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a labelling is allowed, by a plain loop over the parts.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <slackline/core/structure.h>

namespace slackline::internal::test {

/// False when a forbidden state or a global factor rules the labelling out. Requires a state for
/// every variable.
inline bool IsAllowed(const Structure& structure, const std::vector<Index>& labels) {
  const FactorGraph& graph = structure.graph();
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const Index state = a < graph.num_variables()
                            ? labels[a]
                            : JointState(graph, a - graph.num_variables(), labels);
    const std::span<const Index> forbidden = structure.forbidden_states(a);
    if (std::find(forbidden.begin(), forbidden.end(), state) != forbidden.end()) return false;
  }
  std::vector<Index> states;
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    states.resize(graph.global_scope(g).size());
    GlobalStates(graph, g, labels, states);
    if (!structure.globals()[g].factor->Allows(states)) return false;
  }
  return true;
}

}  // namespace slackline::internal::test
