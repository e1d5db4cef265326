// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/count_forest.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>

namespace slackline::internal {
namespace {

/// Number of entries of a table per state.
std::size_t Area(Index hits, Index others) { return (Offset{hits} + 1) * (Offset{others} + 1); }

}  // namespace

bool CountForest::Fits(const FactorGraph& graph) {
  if (!IsForest(graph)) return false;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (graph.scope(c).size() > 2) return false;
  }
  const std::span<const Index> states = graph.cardinalities();
  return std::all_of(states.begin(), states.end(), [](Index count) { return count == 2; });
}

CountForest::CountForest(std::shared_ptr<const FactorGraph> graph) : graph_(std::move(graph)) {
  SLACKLINE_CHECK(Fits(*graph_), "counts need binary variables and a forest of pairs");
  const Index n = graph_->num_variables();
  base_.resize(2 * Offset{n});
  nodes_.resize(Offset{n} + 1);
  for (const EliminationStep& step : ForestElimination(*graph_)) {
    if (step.part < n) {
      if (step.parent < 0) joins_.push_back({n, step.part, -1, {}, {}, 0, 0, 0, 0});
      continue;
    }
    const Index factor = step.part - n;
    const std::span<const Index> scope = graph_->scope(factor);
    if (scope.size() != 2) continue;
    const Index child = scope[0] == step.parent ? scope[1] : scope[0];
    joins_.push_back({step.parent, child, factor, {}, {}, 0, 0, 0, 0});
  }
}

double CountForest::Maximise(std::span<const double> scores, std::span<const Index> marked,
                             std::span<const double> gains, std::span<Index> labels) {
  const std::size_t n = graph_->num_variables();
  SLACKLINE_CHECK(
      std::ssize(scores) == graph_->total_states() && marked.size() == n && labels.size() == n,
      "scores, marks and labels must fit the graph");
  const auto hits = static_cast<Index>(std::count(marked.begin(), marked.end(), 1));
  SLACKLINE_CHECK(gains.size() == Area(hits, static_cast<Index>(n) - hits),
                  "there must be a gain for every pair of counts");
  std::copy_n(scores.begin(), 2 * n, base_.begin());
  for (Index c = 0; c < graph_->num_factors(); ++c) {
    if (graph_->scope(c).size() != 1) continue;
    const std::size_t variable = graph_->scope(c)[0];
    const std::size_t at = graph_->factor_offset(c);
    for (std::size_t s = 0; s < 2; ++s) base_[2 * variable + s] += scores[at + s];
  }
  const bool joined =
      std::any_of(joins_.begin(), joins_.end(), [](const Join& join) { return join.factor >= 0; });
  return joined ? Forest(scores, gains, marked, labels) : Sorted(gains, marked, labels);
}

double CountForest::Sorted(std::span<const double> gains, std::span<const Index> marked,
                           std::span<Index> labels) {
  double zero = 0;  // all variables at state 0
  for (auto& order : order_) order.clear();
  for (std::size_t i = 0; i < marked.size(); ++i) {
    zero += base_[2 * i];
    order_[marked[i]].push_back(static_cast<Index>(i));
  }
  const auto gain = [&](std::size_t i) { return base_[2 * i + 1] - base_[2 * i]; };
  for (std::size_t kind = 0; kind < 2; ++kind) {
    std::vector<Index>& order = order_[kind];
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return gain(a) > gain(b); });
    prefix_[kind].assign(1, 0.0);
    for (const Index i : order) prefix_[kind].push_back(prefix_[kind].back() + gain(i));
  }
  const std::size_t width = prefix_[0].size();
  double best = -kInfinity;
  std::size_t best_at = 0;
  for (std::size_t h = 0; h < prefix_[1].size(); ++h) {
    for (std::size_t f = 0; f < width; ++f) {
      const double value = prefix_[1][h] + prefix_[0][f] + gains[h * width + f];
      if (value > best) {
        best = value;
        best_at = h * width + f;
      }
    }
  }
  work_ += static_cast<std::int64_t>(gains.size());
  std::fill(labels.begin(), labels.end(), 0);
  for (std::size_t k = 0; k < best_at / width; ++k) labels[order_[1][k]] = 1;
  for (std::size_t k = 0; k < best_at % width; ++k) labels[order_[0][k]] = 1;
  return zero + best;
}

double CountForest::Forest(std::span<const double> scores, std::span<const double> gains,
                           std::span<const Index> marked, std::span<Index> labels) {
  const Index n = graph_->num_variables();
  for (Index i = 0; i < n; ++i) Start(i, marked[i]);
  Node& total = nodes_[n];
  total.table.assign(1, 0.0);
  total.hits = total.others = 0;
  for (Join& join : joins_) {
    const std::size_t states = join.factor >= 0 ? 2 : 1;
    std::span<const double> table;
    if (join.factor >= 0) table = scores.subspan(graph_->factor_offset(join.factor), 4);
    const bool child_first = join.factor >= 0 && graph_->scope(join.factor)[0] == join.child;
    Pass(nodes_[join.child], table, child_first, states, &join);
    Merge(&nodes_[join.parent], states, &join);
  }
  double best = -kInfinity;
  std::size_t best_at = 0;
  for (std::size_t k = 0; k < gains.size(); ++k) {
    const double value = total.table[k] + gains[k];
    if (value > best) {
      best = value;
      best_at = k;
    }
  }
  const std::size_t width = total.others + 1;
  ReadLabels(static_cast<Index>(best_at / width), static_cast<Index>(best_at % width), labels);
  return best;
}

/// Fills the table of a variable without children.
void CountForest::Start(Index variable, Index marked) {
  Node& node = nodes_[variable];
  node.hits = marked;
  node.others = 1 - marked;
  node.table.assign(2 * Area(node.hits, node.others), -kInfinity);
  const double* own = base_.data() + 2 * Offset{variable};
  node.table[0] = own[0];
  node.table[Area(node.hits, node.others) + 1] = own[1];
}

/// message_[s][h][f] = max_t T_child[t][h][f] + factor(s, t); join->states records the best t.
void CountForest::Pass(const Node& child, std::span<const double> factor_scores, bool child_first,
                       std::size_t states, Join* join) {
  join->child_hits = child.hits;
  join->child_others = child.others;
  const std::size_t area = Area(child.hits, child.others);
  message_.resize(states * area);
  join->states.resize(states * area);
  for (std::size_t s = 0; s < states; ++s) {
    double add[2] = {0, 0};
    for (std::size_t t = 0; t < 2 && !factor_scores.empty(); ++t)
      add[t] = factor_scores[child_first ? 2 * t + s : 2 * s + t];
    for (std::size_t k = 0; k < area; ++k) {
      const double off = child.table[k] + add[0];
      const double on = child.table[area + k] + add[1];
      message_[s * area + k] = std::max(off, on);
      join->states[s * area + k] = on > off;
    }
  }
  work_ += static_cast<std::int64_t>(message_.size());
}

/// Combines the parent's table with message_; counts of the two subtrees add up.
void CountForest::Merge(Node* parent, std::size_t states, Join* join) {
  const Index hits = parent->hits + join->child_hits;
  const Index others = parent->others + join->child_others;
  join->hits = hits;
  join->others = others;
  const std::size_t area = Area(hits, others);
  const std::size_t own_width = parent->others + 1;
  const std::size_t child_hits = join->child_hits;
  const std::size_t child_width = join->child_others + 1;
  const std::size_t width = others + 1;
  merged_.assign(states * area, -kInfinity);
  join->counts.assign(merged_.size(), 0);
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t k = 0; k < Area(parent->hits, parent->others); ++k) {
      const double own = parent->table[s * Area(parent->hits, parent->others) + k];
      if (own == -kInfinity) continue;
      const std::size_t first = s * area + k / own_width * width + k % own_width;
      const double* message = message_.data() + s * Area(join->child_hits, join->child_others);
      for (std::size_t h = 0; h <= child_hits; ++h) {
        for (std::size_t f = 0; f < child_width; ++f) {
          const double value = own + message[h * child_width + f];
          const std::size_t at = first + h * width + f;
          if (value > merged_[at]) {
            merged_[at] = value;
            join->counts[at] = static_cast<std::int32_t>(h * child_width + f);
          }
        }
      }
      work_ += static_cast<std::int64_t>(Area(join->child_hits, join->child_others));
    }
  }
  parent->table.swap(merged_);
  parent->hits = hits;
  parent->others = others;
}

/// Reads the labelling by going through the joins backwards: each gives the counts and the state of
/// its child from which the parent's entry was computed.
void CountForest::ReadLabels(Index hits, Index others, std::span<Index> labels) const {
  const Index n = graph_->num_variables();
  struct Share {
    Index hits = 0, others = 0;
  };
  std::vector<Share> shares(Offset{n} + 1);
  shares[n] = {hits, others};
  for (auto join = joins_.rbegin(); join != joins_.rend(); ++join) {
    const std::size_t state = join->factor >= 0 ? labels[join->parent] : 0;
    Share& parent = shares[join->parent];
    const std::size_t at = state * Area(join->hits, join->others) +
                           parent.hits * (Offset{join->others} + 1) + parent.others;
    const std::size_t counts = join->counts[at];
    const std::size_t child_width = join->child_others + 1;
    const Share child = {static_cast<Index>(counts / child_width),
                         static_cast<Index>(counts % child_width)};
    shares[join->child] = child;
    parent.hits -= child.hits;
    parent.others -= child.others;
    labels[join->child] = join->states[state * Area(join->child_hits, join->child_others) + counts];
  }
}

}  // namespace slackline::internal
