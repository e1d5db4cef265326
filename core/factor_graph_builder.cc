// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/factor_graph_builder.h>

#include <algorithm>
#include <string>

#include <slackline/core/check.h>

namespace slackline::internal {

Index FactorGraphBuilder::AddVariable(Index cardinality) { return AddVariables(1, cardinality); }

Index FactorGraphBuilder::AddVariables(Index count, Index cardinality) {
  SLACKLINE_CHECK(count >= 0, "the number of variables must not be negative");
  SLACKLINE_CHECK(cardinality >= 1,
                  "a variable needs at least one state, not " + std::to_string(cardinality));
  const Index first = num_variables();
  cardinality_.insert(cardinality_.end(), count, cardinality);
  return first;
}

void FactorGraphBuilder::CheckScope(std::span<const Index> scope) const {
  SLACKLINE_CHECK(!scope.empty(), "a factor needs at least one variable");
  for (const Index i : scope) {
    SLACKLINE_CHECK(i >= 0 && i < num_variables(),
                    "factor over unknown variable " + std::to_string(i));
  }
  std::vector<Index> sorted(scope.begin(), scope.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  SLACKLINE_CHECK(twice == sorted.end(),
                  "variable " + std::to_string(*twice) + " occurs twice in one factor");
}

Index FactorGraphBuilder::AddGlobalFactor(std::span<const Index> scope) {
  CheckScope(scope);
  global_scope_.insert(global_scope_.end(), scope.begin(), scope.end());
  global_begin_.push_back(static_cast<Offset>(global_scope_.size()));
  return num_global_factors() - 1;
}

Index FactorGraphBuilder::AddFactor(std::span<const Index> scope) {
  CheckScope(scope);
  Offset states = 1;
  for (const Index i : scope) {
    states *= cardinality_[i];
    SLACKLINE_CHECK(states <= kMaxTable, "a factor's table would have more than 2^26 joint states");
  }
  scope_.insert(scope_.end(), scope.begin(), scope.end());
  scope_begin_.push_back(static_cast<Offset>(scope_.size()));
  return num_factors() - 1;
}

std::shared_ptr<const FactorGraph> FactorGraphBuilder::Build() const {
  std::shared_ptr<FactorGraph> graph(new FactorGraph());
  graph->num_variables_ = num_variables();
  graph->cardinality_ = cardinality_;
  graph->scope_begin_ = scope_begin_;
  graph->scope_ = scope_;
  graph->global_begin_ = global_begin_;
  graph->global_scope_ = global_scope_;

  Offset states = 0;
  graph->state_begin_.reserve(cardinality_.size() + scope_begin_.size());  // num_parts() + 1
  graph->message_begin_.reserve(scope_.size() + 1);
  for (const Index cardinality : cardinality_) {
    graph->state_begin_.push_back(states);
    states += cardinality;
  }
  for (Index c = 0; c < num_factors(); ++c) {
    graph->state_begin_.push_back(states);
    Offset table = 1;
    for (const Index i : graph->scope(c)) table *= graph->cardinality(i);
    states += table;
  }
  graph->state_begin_.push_back(states);

  Offset messages = 0;
  std::vector<Offset> degree(Offset{num_variables()} + 1, 0);
  for (const Index i : scope_) {
    graph->message_begin_.push_back(messages);
    messages += graph->cardinality(i);
    ++degree[i + 1];
  }
  graph->message_begin_.push_back(messages);

  for (std::size_t i = 1; i < degree.size(); ++i) degree[i] += degree[i - 1];
  graph->incidence_begin_ = degree;
  graph->incidence_.resize(scope_.size());
  for (Index c = 0; c < num_factors(); ++c) {
    const std::span<const Index> scope = graph->scope(c);
    for (std::size_t k = 0; k < scope.size(); ++k) {
      const std::size_t slot = degree[scope[k]]++;
      graph->incidence_[slot] = {c, static_cast<Index>(k)};
    }
  }
  return graph;
}

}  // namespace slackline::internal
