// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/tree_dp.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/simd.h>
#include <slackline/factors/max_oracle.h>
#include <slackline/factors/max_product.h>
#include <slackline/factors/max_rows.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

ForestSteps CheckedForest(const FactorGraph& graph) {
  RequireTablesOnly(graph, "dynamic programming");
  if (!IsForest(graph))
    throw DataError("the tree solver needs a graph without cycles; use lp or branch-and-bound");
  return ForestSteps(graph);
}

}  // namespace

TreeSolver::TreeSolver(std::shared_ptr<const FactorGraph> graph)
    : graph_(std::move(graph)), forest_(CheckedForest(*graph_)) {
  work_.resize(forest_.largest_table());
  message_.resize(forest_.most_states());
  belief_.resize(graph_->variable_states());
}

/// The factor's table plus the beliefs of all its variables except the one of axis `left_out`.
const double* TreeSolver::Join(const ForestStep& step, std::span<const double> scores,
                               Index left_out) {
  std::copy_n(scores.begin() + step.table, step.size, work_.begin());
  Index number = 0;
  for (const ForestAxis& axis : forest_.axes(step)) {
    if (number++ == left_out) continue;
    const double* add = belief(axis.variable);
    double* entry = work_.data();
    for (Index o = 0; o < axis.outer; ++o) {
      for (Index s = 0; s < axis.states; ++s) {
        for (Index r = 0; r < axis.inner; ++r) *entry++ += add[s];
      }
    }
  }
  return work_.data();
}

/// message(s) = max over the joint states with state s on axis `to` of the table plus the beliefs
/// of the other axes.
void TreeSolver::SendMessage(const ForestStep& step, std::span<const double> scores, Index to,
                             double* message) {
  const double* table = scores.data() + step.table;
  const std::span<const ForestAxis> axis = forest_.axes(step);
  const ForestAxis& target = axis[to];
  if (step.num_axes == 1) {
    std::copy_n(table, step.size, message);
  } else if (step.num_axes == 2) {
    const ForestAxis& other = axis[1 - to];
    PairMessage({table, to == 0, other.states, target.states}, belief(other.variable), message);
  } else {
    const double* entry = Join(step, scores, to);
    std::fill_n(message, target.states, -kInfinity);
    for (Index o = 0; o < target.outer; ++o) {
      for (Index s = 0; s < target.states; ++s) {
        for (Index r = 0; r < target.inner; ++r) message[s] = Larger(*entry++, message[s]);
      }
    }
  }
}

void TreeSolver::SendUp(const ForestStep& step, std::span<const double> scores) {
  const std::span<const ForestAxis> axis = forest_.axes(step);
  const ForestAxis& parent = axis[step.parent];
  double* to = belief(parent.variable);
  if (step.num_axes == 2) {
    const ForestAxis& other = axis[1 - step.parent];
    AddPairMessage({scores.data() + step.table, step.parent == 0, other.states, parent.states},
                   belief(other.variable), message_.data(), to);
    return;
  }
  SendMessage(step, scores, step.parent, message_.data());
  for (Index s = 0; s < parent.states; ++s) to[s] += message_[s];
}

/// The graph for the sweeps of max_product.h; a step is a factor.
struct TreeSolver::Sweeps {
  TreeSolver& solver;
  std::span<const double> scores;

  const ForestStep& step(Index k) const { return solver.forest_.steps()[k]; }
  Index num_steps() const { return static_cast<Index>(solver.forest_.steps().size()); }
  void SendUp(Index k) const { solver.SendUp(step(k), scores); }
  void Choose(Index k, std::span<Index> labels) const {
    solver.ChooseStates(step(k), scores, labels);
  }
  double* belief(Index variable) const { return solver.belief(variable); }
  Index states(Index variable) const { return solver.graph_->cardinality(variable); }
  std::span<const Index> roots() const { return solver.forest_.roots(); }
};

void TreeSolver::Upward(std::span<const double> scores) {
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
  std::copy_n(scores.begin(), belief_.size(), belief_.begin());
  Sweeps sweeps{*this, scores};
  SweepUp(sweeps);
}

/// Sets the labels of a factor's other variables to the best states given its parent's label.
void TreeSolver::ChooseStates(const ForestStep& step, std::span<const double> scores,
                              std::span<Index> labels) {
  if (step.num_axes == 1) return;
  const std::span<const ForestAxis> axis = forest_.axes(step);
  const ForestAxis& parent = axis[step.parent];
  const Index state = labels[parent.variable];
  const double* table = scores.data() + step.table;
  if (step.num_axes == 2) {
    const ForestAxis& child = axis[1 - step.parent];
    const double* add = belief(child.variable);
    const double* entry = table + static_cast<Offset>(state) * parent.inner;
    labels[child.variable] = FirstBest(entry, child.inner, add, child.states);
    return;
  }
  const double* joined = Join(step, scores, step.parent);
  Index best = -1;
  for (Index o = 0; o < parent.outer; ++o) {
    const Index begin = (o * parent.states + state) * parent.inner;
    for (Index joint = begin; joint < begin + parent.inner; ++joint) {
      if (best < 0 || joined[joint] > joined[best]) best = joint;
    }
  }
  for (const ForestAxis& a : axis) labels[a.variable] = best / a.inner % a.states;
}

void TreeSolver::Solve(std::span<const double> scores, WarmStart* /*warm*/, MapResult* result) {
  ++calls_;
  Upward(scores);
  result->labels.resize(graph_->num_variables());
  Sweeps sweeps{*this, scores};
  SweepDown(sweeps, result->labels);
  result->integral = true;
  result->marginals.clear();
  result->value = LabellingScore(*graph_, scores, result->labels);
  RequireAllowedLabelling(result->value);
  result->upper_bound = result->value;
  result->exact = true;
}

void TreeSolver::MaxMarginals(std::span<const double> scores, std::span<double> out) {
  SLACKLINE_CHECK(out.size() == belief_.size(), "the output does not fit the graph");
  Upward(scores);
  // From the roots to the leaves: the belief of a parent is complete. Less the factor's message, it
  // is the message that the rest of the tree sends to the factor.
  for (std::size_t k = forest_.steps().size(); k-- > 0;) {
    const ForestStep& step = forest_.steps()[k];
    if (step.num_axes == 1) continue;
    const std::span<const ForestAxis> axis = forest_.axes(step);
    const ForestAxis& parent = axis[step.parent];
    double* complete = belief(parent.variable);
    SendMessage(step, scores, step.parent, message_.data());
    std::copy_n(complete, parent.states, out.begin() + graph_->state_offset(parent.variable));
    for (Index s = 0; s < parent.states; ++s) {
      // If the message is −∞, no labelling below state s is allowed. The message of the rest of the
      // tree cannot be recovered then, and is not needed.
      complete[s] = message_[s] == -kInfinity ? -kInfinity : complete[s] - message_[s];
    }
    // Messages to the children must not use the new beliefs of other children, so all messages are
    // computed before any is added.
    for (Index to = 0; to < step.num_axes; ++to) {
      if (to == step.parent) continue;
      SendMessage(step, scores, to, out.data() + graph_->state_offset(axis[to].variable));
    }
    for (Index to = 0; to < step.num_axes; ++to) {
      const Offset offset = graph_->state_offset(axis[to].variable);
      double* to_belief = belief_.data() + offset;
      for (Index s = 0; s < axis[to].states; ++s) {
        to_belief[s] = to == step.parent ? out[offset + s] : to_belief[s] + out[offset + s];
      }
    }
  }
  // Beliefs include only their own component; the best values of the other components are added.
  double total = 0;
  for (const Index root : forest_.roots())
    total += TableMax(std::span(belief(root), graph_->cardinality(root))).value;
  RequireAllowedLabelling(total);
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    const std::span<const double> table(belief(i), graph_->cardinality(i));
    const double own = TableMax(table).value;
    for (std::size_t s = 0; s < table.size(); ++s)
      out[graph_->state_offset(i) + s] = table[s] - own + total;
  }
}

}  // namespace slackline::internal
