// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/factor_graph.h>

namespace slackline {

void JointToStates(const FactorGraph& graph, Index c, Index joint, std::span<Index> states) {
  const std::span<const Index> scope = graph.scope(c);
  for (std::size_t k = scope.size(); k-- > 0;) {
    const Index cardinality = graph.cardinality(scope[k]);
    states[k] = joint % cardinality;
    joint /= cardinality;
  }
}

Index JointState(const FactorGraph& graph, Index c, std::span<const Index> labels) {
  Index joint = 0;
  for (const Index i : graph.scope(c))
    joint = joint * graph.cardinality(i) + labels[static_cast<std::size_t>(i)];
  return joint;
}

}  // namespace slackline
