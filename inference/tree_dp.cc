// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/tree_dp.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/factors/max_oracle.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

double Larger(double a, double b) { return a > b ? a : b; }

/// max_k a[k] + b[k], in four lanes that the compiler may keep in one register.
double MaxOfSum(const double* a, const double* b, Index size) {
  double lane[4] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  Index k = 0;
  for (; k + 4 <= size; k += 4) {
    for (Index l = 0; l < 4; ++l) lane[l] = Larger(a[k + l] + b[k + l], lane[l]);
  }
  for (; k < size; ++k) lane[0] = Larger(a[k] + b[k], lane[0]);
  return Larger(Larger(lane[0], lane[1]), Larger(lane[2], lane[3]));
}

/// out[s] = max_r table[r · size + s] + add[r].
void MaxOverRows(const double* table, const double* add, Index rows, Index size, double* out) {
  std::fill_n(out, size, -kInfinity);
  for (Index r = 0; r < rows; ++r, table += size) {
    const double plus = add[r];
    for (Index s = 0; s < size; ++s) out[s] = Larger(table[s] + plus, out[s]);
  }
}

ForestSteps CheckedForest(const FactorGraph& graph) {
  RequireTablesOnly(graph, "dynamic programming");
  if (!IsForest(graph))
    throw DataError("the tree solver needs a graph without cycles; use lp or search");
  return ForestSteps(graph);
}

}  // namespace

TreeSolver::TreeSolver(std::shared_ptr<const FactorGraph> graph)
    : graph_(std::move(graph)), forest_(CheckedForest(*graph_)) {
  work_.resize(forest_.largest_table());
  message_.resize(forest_.most_states());
  belief_.resize(graph_->variable_states());
}

/// The factor's table plus the beliefs of all its variables except axis `left_out`.
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

/// message(s) = max over the joint states with state s of axis `to`, with the beliefs of the other
/// axes.
void TreeSolver::SendMessage(const ForestStep& step, std::span<const double> scores, Index to,
                             double* message) {
  const double* table = scores.data() + step.table;
  const std::span<const ForestAxis> axis = forest_.axes(step);
  const ForestAxis& target = axis[to];
  if (step.num_axes == 1) {
    std::copy_n(table, step.size, message);
  } else if (step.num_axes == 2) {
    const ForestAxis& other = axis[1 - to];
    if (to == 1) {
      MaxOverRows(table, belief(other.variable), other.states, target.states, message);
    } else {
      for (Index s = 0; s < target.states; ++s) {
        message[s] = MaxOfSum(table + static_cast<Offset>(s) * other.states, belief(other.variable),
                              other.states);
      }
    }
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
  SendMessage(step, scores, step.parent, message_.data());
  const ForestAxis& parent = forest_.axes(step)[step.parent];
  double* to = belief(parent.variable);
  for (Index s = 0; s < parent.states; ++s) to[s] += message_[s];
}

void TreeSolver::Upward(std::span<const double> scores) {
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
  std::copy_n(scores.begin(), belief_.size(), belief_.begin());
  for (const ForestStep& step : forest_.steps()) SendUp(step, scores);
}

/// Given the parent's state, the best states of the other variables of a factor.
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
    Index best = 0;
    for (Index s = 1; s < child.states; ++s) {
      if (entry[s * child.inner] + add[s] > entry[best * child.inner] + add[best]) best = s;
    }
    labels[child.variable] = best;
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
  for (const Index root : forest_.roots()) {
    result->labels[root] = TableMax({belief(root), Size(graph_->cardinality(root))}).joint;
  }
  for (std::size_t k = forest_.steps().size(); k-- > 0;)
    ChooseStates(forest_.steps()[k], scores, result->labels);
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
  // From the roots: a parent's belief is complete. Without what the factor told it, it is what the
  // rest of the tree says.
  for (std::size_t k = forest_.steps().size(); k-- > 0;) {
    const ForestStep& step = forest_.steps()[k];
    if (step.num_axes == 1) continue;
    const std::span<const ForestAxis> axis = forest_.axes(step);
    const ForestAxis& parent = axis[step.parent];
    double* complete = belief(parent.variable);
    SendMessage(step, scores, step.parent, message_.data());
    std::copy_n(complete, parent.states, out.begin() + graph_->state_offset(parent.variable));
    for (Index s = 0; s < parent.states; ++s) {
      // Where the message is −∞ the rest of the tree is not known any more, nor needed: nothing
      // below s is allowed.
      complete[s] = message_[s] == -kInfinity ? -kInfinity : complete[s] - message_[s];
    }
    // A child's message must not see that child's own new belief: all are computed before any is
    // added.
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
  // Beliefs count only their own component; the best of the others comes on top.
  double total = 0;
  for (const Index root : forest_.roots())
    total += TableMax({belief(root), Size(graph_->cardinality(root))}).value;
  RequireAllowedLabelling(total);
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    const std::span<const double> table{belief(i), Size(graph_->cardinality(i))};
    const double own = TableMax(table).value;
    for (std::size_t s = 0; s < table.size(); ++s)
      out[Size(graph_->state_offset(i)) + s] = table[s] - own + total;
  }
}

}  // namespace slackline::internal
