// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/factor_graph.h>

#include <string>

#include <slackline/core/check.h>

namespace slackline::internal {

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
  for (const Index i : graph.scope(c)) joint = joint * graph.cardinality(i) + labels[i];
  return joint;
}

void GlobalStates(const FactorGraph& graph, Index g, std::span<const Index> labels,
                  std::span<Index> states) {
  const std::span<const Index> scope = graph.global_scope(g);
  for (std::size_t k = 0; k < scope.size(); ++k) states[k] = labels[scope[k]];
}

void RequireTablesOnly(const FactorGraph& graph, std::string_view solver) {
  if (graph.num_global_factors() == 0) return;
  throw DataError(std::string(solver) +
                  " needs a table of scores for every factor, but this graph has " +
                  std::to_string(graph.num_global_factors()) +
                  " global factor(s), which have none; use learner al or soft for training and "
                  "GlobalDecoder for prediction");
}

}  // namespace slackline::internal
