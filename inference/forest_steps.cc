// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/forest_steps.h>

#include <algorithm>

#include <slackline/core/graph_topology.h>

namespace slackline::internal {

ForestSteps::ForestSteps(const FactorGraph& graph) {
  for (const EliminationStep& elimination : ForestElimination(graph)) {
    if (elimination.part < graph.num_variables()) {
      if (elimination.parent < 0) roots_.push_back(elimination.part);
      continue;
    }
    const Index c = elimination.part - graph.num_variables();
    ForestStep step{
        graph.factor_offset(c), graph.factor_states(c), static_cast<Index>(axes_.size()), 0, 0,
        message_states_};
    Index inner = step.size;
    Index outer = 1;
    for (const Index i : graph.scope(c)) {
      const Index states = graph.cardinality(i);
      inner /= states;
      if (i == elimination.parent) step.parent = step.num_axes;
      axes_.push_back({i, outer, states, inner});
      outer *= states;
      ++step.num_axes;
    }
    largest_table_ = std::max(largest_table_, step.size);
    message_states_ += graph.cardinality(elimination.parent);
    steps_.push_back(step);
  }
  for (const Index states : graph.cardinalities()) most_states_ = std::max(most_states_, states);
}

}  // namespace slackline::internal
