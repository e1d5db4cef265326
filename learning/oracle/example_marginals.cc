// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/example_marginals.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/learning/oracle/shared_tables.h>

namespace slackline::internal {
namespace {

std::span<double> TableOf(const FactorGraph& graph, Index part, std::vector<double>* flat) {
  return std::span(*flat).subspan(graph.state_offset(part), graph.num_states(part));
}

/// Per factor, the first factor with the same table.
std::vector<Index> FirstFactors(const Structure& structure) {
  std::vector<Index> table_of = SharedTables(structure);
  std::vector<Index> first;
  for (std::size_t c = 0; c < table_of.size(); ++c) {
    if (table_of[c] == std::ssize(first)) first.push_back(static_cast<Index>(c));
    table_of[c] = first[table_of[c]];
  }
  return table_of;
}

/// The logarithm of the number of allowed labellings.
double CountInLogs(const Structure& structure, SumProduct* solver) {
  const FactorGraph& graph = structure.graph();
  std::vector<double> zeros(graph.total_states(), 0.0);
  for (Index a = 0; a < graph.num_parts(); ++a) {
    for (const Index s : structure.forbidden_states(a)) TableOf(graph, a, &zeros)[s] = -kInfinity;
  }
  return solver->LogPartition(zeros, 1);
}

}  // namespace

ExampleMarginals::ExampleMarginals(const Problem& problem, std::string_view learner)
    : problem_(problem) {
  for (const auto& structure : problem.data().structures()) {
    const FactorGraph& graph = structure->graph();
    if (graph.num_global_factors() > 0) {
      throw DataError("learner " + std::string(learner) +
                      " needs marginals, which structures with global factors do not have; use "
                      "learner al or soft");
    }
    if (!IsForest(graph)) {
      throw DataError("learner " + std::string(learner) +
                      " needs exact marginals, which exist only on graphs without cycles; use "
                      "learner bcfw or al");
    }
    Entry entry;
    entry.solver = std::make_unique<SumProduct>(structure->shared_graph());
    entry.table_factor = FirstFactors(*structure);
    entry.log_labellings = CountInLogs(*structure, entry.solver.get());
    entries_.push_back(std::move(entry));
  }
}

void ExampleMarginals::FillScores(const Entry& entry, Index m, double loss_scale,
                                  std::span<const double> scores) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  tables_.assign(graph.total_states(), 0.0);
  const std::span<const double> loss = problem_.loss(m);
  for (std::size_t s = 0; s < loss.size(); ++s) tables_[s] = loss_scale * loss[s];
  for (Index i = 0; i < graph.num_variables(); ++i) {
    AddPartScores(example, i, scores, TableOf(graph, i, &tables_));
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<double> table = TableOf(graph, graph.num_variables() + c, &tables_);
    const Index first = entry.table_factor[c];
    if (first == c) {
      AddPartScores(example, graph.num_variables() + c, scores, table);
    } else {
      std::copy_n(tables_.begin() + graph.factor_offset(first), table.size(), table.begin());
    }
  }
}

Expectation ExampleMarginals::Expect(Index m, double loss_scale, std::span<const double> scores,
                                     double temperature) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  const Entry& entry = entries_[problem_.data().structure_of(m)];
  SLACKLINE_CHECK(std::ssize(scores) == example.structure().num_coordinates(),
                  "the scores do not fit the example");
  FillScores(entry, m, loss_scale, scores);
  marginals_.resize(tables_.size());
  Expectation result;
  result.log_partition = entry.solver->Marginals(tables_, temperature, marginals_);

  coordinates_.assign(scores.size(), 0.0);
  AddLabellingFeatures(example, example.labels(), 1, coordinates_);
  result.terms = std::abs(result.log_partition);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    result.log_partition -= scores[k] * coordinates_[k];
    result.terms += std::abs(scores[k] * coordinates_[k]);
  }
  const std::span<const double> loss = problem_.loss(m);
  for (std::size_t s = 0; s < loss.size(); ++s) result.loss += loss[s] * marginals_[s];
  for (Index i = 0; i < graph.num_variables(); ++i) {
    AddMarginalFeatures(example, i, TableOf(graph, i, &marginals_), -1, coordinates_);
  }
  // Marginals of factors with the same table are added up before their features are.
  for (Index c = graph.num_factors(); c-- > 0;) {
    const std::span<double> own = TableOf(graph, graph.num_variables() + c, &marginals_);
    const Index first = entry.table_factor[c];
    if (first == c) {
      AddMarginalFeatures(example, graph.num_variables() + c, own, -1, coordinates_);
      continue;
    }
    double* sum = marginals_.data() + graph.factor_offset(first);
    for (std::size_t s = 0; s < own.size(); ++s) sum[s] += own[s];
  }
  result.coordinates = coordinates_;
  return result;
}

}  // namespace slackline::internal
