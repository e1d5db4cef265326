// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/pair_forest.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {
bool PairForest::Fits(const FactorGraph& graph) {
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (graph.scope(c).size() != 2) return false;
  }
  return IsForest(graph);
}

PairForest::PairForest(std::shared_ptr<const FactorGraph> graph, std::span<const Index> table_of)
    : graph_(std::move(graph)), belief_(graph_->variable_states()) {
  SLACKLINE_CHECK(Fits(*graph_), "the graph is no forest of pairs");
  SLACKLINE_CHECK(std::ssize(table_of) == graph_->num_factors(), "every factor needs a table");
  for (Index c = 0; c < graph_->num_factors(); ++c) {
    const Index table = table_of[c];
    SLACKLINE_CHECK(table >= 0 && table <= tables_.size(),
                    "tables are to be numbered in order of their first use");
    const Index rows = graph_->cardinality(graph_->scope(c)[0]);
    const Index cols = graph_->cardinality(graph_->scope(c)[1]);
    if (table == tables_.size()) tables_.Add(rows, cols);
    SLACKLINE_CHECK(
        tables_.own_states({table, true}) == rows && tables_.own_states({table, false}) == cols,
        "factors of different shape cannot share a table");
  }
  std::vector<Index> child(graph_->num_factors(), -1);
  Index most_states = 0;
  for (const EliminationStep& elimination : ForestElimination(*graph_)) {
    if (elimination.part < graph_->num_variables()) {
      most_states = std::max(most_states, graph_->cardinality(elimination.part));
      if (elimination.parent < 0) {
        roots_.push_back(elimination.part);
      } else {
        child[elimination.parent - graph_->num_variables()] = elimination.part;
      }
      continue;
    }
    const Index c = elimination.part - graph_->num_variables();
    steps_.push_back(
        {child[c], elimination.parent, {table_of[c], elimination.parent == graph_->scope(c)[0]}});
  }
  message_.resize(PairTables::Padded(most_states));
}

double PairForest::Maximise(std::span<Index> labels) {
  SLACKLINE_CHECK(std::ssize(labels) == graph_->num_variables(), "the labels do not fit the graph");
  for (const Step& step : steps_) {
    tables_.MaxPlus(step.view, belief(step.variable), message_.data());
    double* to = belief(step.parent);
    const Index states = graph_->cardinality(step.parent);
    for (Index s = 0; s < states; ++s) to[s] += message_[s];
  }
  double value = 0;
  for (const Index root : roots_) {
    const double* begin = belief(root);
    const double* best = std::max_element(begin, begin + graph_->cardinality(root));
    labels[root] = static_cast<Index>(best - begin);
    value += *best;
  }
  RequireAllowedLabelling(value);
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    const PairTables::View down = {step.view.table, !step.view.transposed};
    labels[step.variable] = tables_.Best(down, labels[step.parent], belief(step.variable));
  }
  return value;
}

Offset PairForest::work() const {
  Offset work = 4 * graph_->variable_states();
  for (const Step& step : steps_) work += tables_.Work(step.view.table) / 2;
  return work;
}

}  // namespace slackline::internal
