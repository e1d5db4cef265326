// SPDX-License-Identifier: BSD-3-Clause
//
// The local polytope as a linear program: rows of MakeLocalPolytopeRows, costs = scores. The primal
// form has fewer rows than the dual, and every basis stays primal feasible when scores change.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <slackline/factors/max_oracle.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

void AddEntry(Index row, Offset column, double coefficient, LpModel* model) {
  model->row.push_back(row);
  model->column.push_back(static_cast<Index>(column));
  model->coefficient.push_back(coefficient);
}

/// Adds the rows of factor c: one per state of every edge, without the last state except for the
/// first edge.
void AddFactorRows(const FactorGraph& graph, Index c, LocalPolytopeRows* rows) {
  LpModel* model = &rows->model;
  const std::span<const Index> scope = graph.scope(c);
  Offset inner = graph.factor_states(c);
  for (Index k = 0; k < static_cast<Index>(scope.size()); ++k) {
    const Index i = scope[k];
    const Index states = graph.cardinality(i);
    inner /= states;
    const Index kept = k == 0 ? states : states - 1;
    for (Index s = 0; s < kept; ++s) {
      AddEntry(model->rows + s, graph.state_offset(i) + s, -1, model);
      rows->row_message.push_back(graph.message_offset(graph.edge(c, k)) + s);
    }
    for (Index joint = 0; joint < graph.factor_states(c); ++joint) {
      const auto s = static_cast<Index>(joint / inner % states);
      if (s < kept) AddEntry(model->rows + s, graph.factor_offset(c) + joint, 1, model);
    }
    model->rows += kept;
  }
}

class LocalPolytopeFormulation final : public LpFormulation {
 public:
  explicit LocalPolytopeFormulation(std::shared_ptr<const FactorGraph> graph)
      : graph_(std::move(graph)), rows_(MakeLocalPolytopeRows(*graph_)) {}

  const LpModel& Update(std::span<const double> scores, bool with_start) override {
    LpModel& model = rows_.model;
    scale_ = ScaleOf(scores);
    for (std::size_t k = 0; k < scores.size(); ++k) model.cost[k] = scores[k] * scale_;
    if (with_start) FillStart(scores);
    return model;
  }

  void Read(const LpSolution& solution, std::span<const double> /*scores*/,
            std::span<double> marginals, std::span<double> messages) const override {
    for (std::size_t k = 0; k < marginals.size(); ++k)
      marginals[k] = std::max(0.0, solution.column_value[k]);
    for (Index i = 0; i < graph_->num_variables(); ++i) {
      const auto table = marginals.subspan(graph_->state_offset(i), graph_->cardinality(i));
      double sum = 0;
      for (const double entry : table) sum += entry;
      for (double& entry : table) entry /= sum;
    }
    RepairToLocalPolytope(*graph_, marginals, marginals);
    std::fill(messages.begin(), messages.end(), 0.0);
    for (std::size_t r = 0; r < rows_.row_message.size(); ++r) {
      if (rows_.row_message[r] >= 0) messages[rows_.row_message[r]] = solution.row_dual[r] / scale_;
    }
  }

 private:
  /// Sets the starting basis. Each factor has as many basic columns as rows: the joint states that
  /// differ from y_c in at most one variable. The basis is non-singular: the rows of one edge
  /// determine the entries that differ from y_c in the edge's variable, and these determine the
  /// entry of y_c.
  void FillStart(std::span<const double> scores) {
    const FactorGraph& graph = *graph_;
    std::vector<Index> labels(graph.num_variables());
    for (Index i = 0; i < graph.num_variables(); ++i) {
      labels[i] = TableMax(scores.subspan(graph.state_offset(i), graph.cardinality(i))).joint;
    }
    ImproveLabelling(graph, scores, labels);
    LpModel& model = rows_.model;
    model.start.assign(model.rows + model.columns, BasisStatus::kAtLower);
    const auto basic = [&](Offset column) {
      model.start[model.rows + column] = BasisStatus::kBasic;
    };
    for (Index i = 0; i < graph.num_variables(); ++i) basic(graph.state_offset(i) + labels[i]);
    for (Index c = 0; c < graph.num_factors(); ++c) {
      const Index joint = JointState(graph, c, labels);
      Index inner = graph.factor_states(c);
      for (const Index i : graph.scope(c)) {
        const Index states = graph.cardinality(i);
        inner /= states;
        for (Index s = 0; s < states; ++s) {
          basic(graph.factor_offset(c) + joint + static_cast<Offset>(s - labels[i]) * inner);
        }
      }
    }
  }

  std::shared_ptr<const FactorGraph> graph_;
  LocalPolytopeRows rows_;
  double scale_ = 1;
};

}  // namespace

double LpFormulation::ScaleOf(std::span<const double> scores) {
  double largest = 0;
  for (const double score : scores) largest = std::max(largest, std::abs(score));
  return largest > 0 && std::isnormal(largest) ? std::ldexp(1.0, -1 - std::ilogb(largest)) : 1.0;
}

LocalPolytopeRows MakeLocalPolytopeRows(const FactorGraph& graph) {
  RequireTablesOnly(graph, "linear programming");
  LocalPolytopeRows rows;
  LpModel* model = &rows.model;
  model->rows = graph.num_variables();
  model->columns = static_cast<Index>(graph.total_states());
  rows.row_message.assign(graph.num_variables(), -1);
  for (Index i = 0; i < graph.num_variables(); ++i) {
    for (Index s = 0; s < graph.cardinality(i); ++s)
      AddEntry(i, graph.state_offset(i) + s, 1, model);
  }
  for (Index c = 0; c < graph.num_factors(); ++c) AddFactorRows(graph, c, &rows);
  model->row_lower.assign(model->rows, 0.0);
  std::fill_n(model->row_lower.begin(), graph.num_variables(), 1.0);
  model->row_upper = model->row_lower;
  model->column_lower.assign(model->columns, 0.0);
  model->column_upper.assign(model->columns, kInfinity);
  model->cost.assign(model->columns, 0.0);
  return rows;
}

std::unique_ptr<LpFormulation> MakeLocalPolytopeFormulation(
    std::shared_ptr<const FactorGraph> graph) {
  return std::make_unique<LocalPolytopeFormulation>(std::move(graph));
}

}  // namespace slackline::internal
