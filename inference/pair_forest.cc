// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/pair_forest.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/factors/max_product.h>
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
  SLACKLINE_CHECK(Fits(*graph_), "the graph is not a forest of pairs");
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

/// The forest for the sweeps of max_product.h.
struct PairForest::Sweeps {
  PairForest& forest;

  Index num_steps() const { return static_cast<Index>(forest.steps_.size()); }
  void SendUp(Index k) const {
    const Step& step = forest.steps_[k];
    double* message = forest.message_.data();
    forest.tables_.MaxPlus(step.view, belief(step.variable), message);
    double* to = belief(step.parent);
    const Index count = states(step.parent);
    for (Index s = 0; s < count; ++s) to[s] += message[s];
  }
  void Choose(Index k, std::span<Index> labels) const {
    const Step& step = forest.steps_[k];
    const PairTables::View down = {step.view.table, !step.view.transposed};
    labels[step.variable] = forest.tables_.Best(down, labels[step.parent], belief(step.variable));
  }
  double* belief(Index variable) const { return forest.belief(variable); }
  Index states(Index variable) const { return forest.graph_->cardinality(variable); }
  std::span<const Index> roots() const { return forest.roots_; }
};

double PairForest::Maximise(std::span<Index> labels) {
  SLACKLINE_CHECK(std::ssize(labels) == graph_->num_variables(), "the labels do not fit the graph");
  Sweeps sweeps{*this};
  SweepUp(sweeps);
  const double value = SweepDown(sweeps, labels);
  RequireAllowedLabelling(value);
  return value;
}

Offset PairForest::work() const {
  Offset work = 4 * graph_->variable_states();
  for (const Step& step : steps_) work += tables_.Work(step.view.table) / 2;
  return work;
}

}  // namespace slackline::internal
