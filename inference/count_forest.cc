// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/count_forest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>

namespace slackline::internal {
namespace {

/// Number of entries of a table per state.
std::size_t Area(StateCounts largest) {
  return (Offset{largest.first} + 1) * (Offset{largest.second} + 1);
}

StateCounts operator+(StateCounts a, StateCounts b) {
  return {a.first + b.first, a.second + b.second};
}

/// The value of a best score at the counts k.
double ValueAt(const CountGains& gains, std::size_t k, double score) {
  return gains.times.empty() ? score + gains.add[k] : gains.times[k] * score + gains.add[k];
}

}  // namespace

bool CountForest::Fits(const FactorGraph& graph) {
  if (graph.num_global_factors() > 0 || !IsForest(graph)) return false;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (graph.scope(c).size() > 2) return false;
  }
  constexpr Index kMostStates = std::numeric_limits<std::uint16_t>::max() + 1;
  const std::span<const Index> states = graph.cardinalities();
  return std::all_of(states.begin(), states.end(),
                     [](Index count) { return count <= kMostStates; });
}

CountForest::CountForest(std::shared_ptr<const FactorGraph> graph) : graph_(std::move(graph)) {
  SLACKLINE_CHECK(Fits(*graph_), "counts need a forest of pairs");
  const Index n = graph_->num_variables();
  base_.resize(graph_->variable_states());
  nodes_.resize(Offset{n} + 1);
  for (const EliminationStep& step : ForestElimination(*graph_)) {
    if (step.part < n) {
      if (step.parent < 0) joins_.push_back({n, step.part, -1, {}, {}, {}, {}});
      continue;
    }
    const Index factor = step.part - n;
    const std::span<const Index> scope = graph_->scope(factor);
    if (scope.size() != 2) continue;
    const Index child = scope[0] == step.parent ? scope[1] : scope[0];
    joins_.push_back({step.parent, child, factor, {}, {}, {}, {}});
    joined_ = true;
  }
}

std::span<const StateCounts> CountForest::OfVariable(std::span<const StateCounts> counts,
                                                     Index variable) const {
  return counts.subspan(graph_->state_offset(variable), graph_->cardinality(variable));
}

StateCounts CountForest::LargestOf(std::span<const StateCounts> counts) {
  StateCounts largest;
  for (const StateCounts& state : counts) {
    largest.first = std::max(largest.first, state.first);
    largest.second = std::max(largest.second, state.second);
  }
  return largest;
}

StateCounts CountForest::Largest(std::span<const StateCounts> counts) const {
  StateCounts sum;
  for (Index i = 0; i < graph_->num_variables(); ++i) sum = sum + LargestOf(OfVariable(counts, i));
  return sum;
}

double CountForest::CallWork(std::span<const StateCounts> counts) const {
  const Index n = graph_->num_variables();
  std::vector<StateCounts> largest(Offset{n} + 1);
  for (Index i = 0; i < n; ++i) largest[i] = LargestOf(OfVariable(counts, i));
  double work = 0;
  for (const Join& join : joins_) {
    const double states = join.factor >= 0 ? graph_->cardinality(join.parent) : 1;
    const auto child = static_cast<double>(Area(largest[join.child]));
    const auto parent = static_cast<double>(Area(largest[join.parent]));
    work += states * child * (graph_->cardinality(join.child) + parent);
    largest[join.parent] = largest[join.parent] + largest[join.child];
  }
  return work;
}

double CountForest::Maximise(std::span<const double> scores, std::span<const StateCounts> counts,
                             const CountGains& gains, std::span<Index> labels) {
  const std::size_t n = graph_->num_variables();
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states() && labels.size() == n &&
                      std::ssize(counts) == graph_->variable_states(),
                  "scores, counts and labels must fit the graph");
  largest_ = Largest(counts);
  const std::size_t area = Area(largest_);
  SLACKLINE_CHECK(gains.add.size() == area && (gains.times.empty() || gains.times.size() == area),
                  "there must be a gain for every pair of counts");
  std::copy_n(scores.begin(), base_.size(), base_.begin());
  for (Index c = 0; c < graph_->num_factors(); ++c) {
    if (graph_->scope(c).size() != 1) continue;
    const Index variable = graph_->scope(c)[0];
    const Offset at = graph_->factor_offset(c);
    const Offset own = graph_->state_offset(variable);
    for (Index s = 0; s < graph_->cardinality(variable); ++s) base_[own + s] += scores[at + s];
  }
  return !joined_ && Sort(counts) ? Sorted(gains, labels) : Forest(scores, gains, counts, labels);
}

/// Fills order_, plain_ and prefix_; false if sorting does not solve these counts.
bool CountForest::Sort(std::span<const StateCounts> counts) {
  plain_ = 0;
  for (auto& order : order_) order.clear();
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    const std::span<const StateCounts> own = OfVariable(counts, i);
    const StateCounts largest = LargestOf(own);
    if (largest.first + largest.second > 1) return false;
    const double* base = base_.data() + graph_->state_offset(i);
    double best[2] = {-kInfinity, -kInfinity};  // of the states that do not count, and that do
    Index state[2] = {0, 0};
    for (std::size_t s = 0; s < own.size(); ++s) {
      const int counting = own[s] == StateCounts() ? 0 : 1;
      if (!(base[s] > best[counting])) continue;
      best[counting] = base[s];
      state[counting] = static_cast<Index>(s);
    }
    if (best[0] == -kInfinity) return false;
    plain_ += best[0];
    // Variables that cannot count have a gain of −∞, and sort last.
    order_[largest.first].push_back({best[1] - best[0], state[0], state[1], i});
  }
  for (std::size_t kind = 0; kind < 2; ++kind) {
    std::vector<Choice>& order = order_[kind];
    std::stable_sort(order.begin(), order.end(),
                     [](const Choice& a, const Choice& b) { return a.gain > b.gain; });
    prefix_[kind].assign(1, 0.0);
    for (const Choice& choice : order) prefix_[kind].push_back(prefix_[kind].back() + choice.gain);
  }
  return true;
}

double CountForest::Sorted(const CountGains& gains, std::span<Index> labels) {
  const std::size_t width = Offset{largest_.second} + 1;
  Best best{-kInfinity, 0};
  for (std::size_t h = 0; h < prefix_[1].size(); ++h) {
    for (std::size_t f = 0; f < width; ++f) {
      const double score = prefix_[1][h] + prefix_[0][f];
      if (score == -kInfinity) continue;
      const std::size_t k = h * width + f;
      const double value = ValueAt(gains, k, gains.times.empty() ? score : plain_ + score);
      if (value > best.value) best = {value, k};
    }
  }
  work_ += static_cast<std::int64_t>(gains.add.size());
  for (std::size_t kind = 0; kind < 2; ++kind) {
    const std::size_t count = kind == 1 ? best.at / width : best.at % width;
    for (std::size_t k = 0; k < order_[kind].size(); ++k) {
      const Choice& choice = order_[kind][k];
      labels[choice.variable] = k < count ? choice.counting : choice.plain;
    }
  }
  return gains.times.empty() ? plain_ + best.value : best.value;
}

double CountForest::Forest(std::span<const double> scores, const CountGains& gains,
                           std::span<const StateCounts> counts, std::span<Index> labels) {
  const Index n = graph_->num_variables();
  for (Index i = 0; i < n; ++i) Start(i, OfVariable(counts, i));
  Node& total = nodes_[n];
  total.table.assign(1, 0.0);
  total.largest = {};
  for (Join& join : joins_) {
    const std::size_t states = join.factor >= 0 ? graph_->cardinality(join.parent) : 1;
    std::span<const double> table;
    if (join.factor >= 0)
      table =
          scores.subspan(graph_->factor_offset(join.factor), graph_->factor_states(join.factor));
    Pass(table, states, &join);
    Merge(states, &join);
  }
  Best best{-kInfinity, 0};
  for (std::size_t k = 0; k < gains.add.size(); ++k) {
    if (total.table[k] == -kInfinity) continue;
    const double value = ValueAt(gains, k, total.table[k]);
    if (value > best.value) best = {value, k};
  }
  SLACKLINE_CHECK(best.value > -kInfinity, "every labelling is forbidden");
  const std::size_t width = Offset{total.largest.second} + 1;
  ReadLabels({static_cast<Index>(best.at / width), static_cast<Index>(best.at % width)}, labels);
  return best.value;
}

/// Fills the table of a variable without children.
void CountForest::Start(Index variable, std::span<const StateCounts> counts) {
  Node& node = nodes_[variable];
  node.largest = LargestOf(counts);
  const std::size_t area = Area(node.largest);
  node.table.assign(counts.size() * area, -kInfinity);
  const double* own = base_.data() + graph_->state_offset(variable);
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const std::size_t at = counts[s].first * (Offset{node.largest.second} + 1) + counts[s].second;
    node.table[s * area + at] = own[s];
  }
}

/// message_[s][h][f] = max_t T_child[t][h][f] + factor(s, t); join->states records the best t.
void CountForest::Pass(std::span<const double> factor_scores, std::size_t states, Join* join) {
  const Node& child = nodes_[join->child];
  join->child_largest = child.largest;
  const std::size_t area = Area(child.largest);
  const std::size_t child_states = graph_->cardinality(join->child);
  const bool child_first = join->factor >= 0 && graph_->scope(join->factor)[0] == join->child;
  message_.resize(states * area);
  join->states.assign(states * area, 0);
  for (std::size_t s = 0; s < states; ++s) {
    double* const best = message_.data() + s * area;
    std::uint16_t* const best_state = join->states.data() + s * area;
    for (std::size_t t = 0; t < child_states; ++t) {
      double add = 0;
      if (!factor_scores.empty())
        add = factor_scores[child_first ? t * states + s : s * child_states + t];
      const double* const table = child.table.data() + t * area;
      if (t == 0) {
        for (std::size_t k = 0; k < area; ++k) best[k] = table[k] + add;
        continue;
      }
      for (std::size_t k = 0; k < area; ++k) {
        const double value = table[k] + add;
        if (value > best[k]) {
          best[k] = value;
          best_state[k] = static_cast<std::uint16_t>(t);
        }
      }
    }
  }
  work_ += static_cast<std::int64_t>(message_.size() * child_states / 2);
}

/// Combines the parent's table with message_; counts of the two subtrees add up.
void CountForest::Merge(std::size_t states, Join* join) {
  Node& parent = nodes_[join->parent];
  join->largest = parent.largest + join->child_largest;
  const std::size_t area = Area(join->largest);
  const std::size_t own_area = Area(parent.largest);
  const std::size_t child_area = Area(join->child_largest);
  const std::size_t own_width = Offset{parent.largest.second} + 1;
  const std::size_t child_rows = Offset{join->child_largest.first} + 1;
  const std::size_t child_width = Offset{join->child_largest.second} + 1;
  const std::size_t width = Offset{join->largest.second} + 1;
  merged_.assign(states * area, -kInfinity);
  join->counts.assign(merged_.size(), 0);
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t k = 0; k < own_area; ++k) {
      const double own = parent.table[s * own_area + k];
      if (own == -kInfinity) continue;
      const std::size_t first = s * area + k / own_width * width + k % own_width;
      const double* message = message_.data() + s * child_area;
      for (std::size_t h = 0; h < child_rows; ++h) {
        for (std::size_t f = 0; f < child_width; ++f) {
          const double value = own + message[h * child_width + f];
          const std::size_t at = first + h * width + f;
          if (value > merged_[at]) {
            merged_[at] = value;
            join->counts[at] = static_cast<std::int32_t>(h * child_width + f);
          }
        }
      }
      work_ += static_cast<std::int64_t>(child_area);
    }
  }
  parent.table.swap(merged_);
  parent.largest = join->largest;
}

/// Reads the labelling by going through the joins backwards: each gives the counts and the state of
/// its child from which the parent's entry was computed.
void CountForest::ReadLabels(StateCounts counts, std::span<Index> labels) const {
  const Index n = graph_->num_variables();
  std::vector<StateCounts> shares(Offset{n} + 1);
  shares[n] = counts;
  for (auto join = joins_.rbegin(); join != joins_.rend(); ++join) {
    const std::size_t state = join->factor >= 0 ? labels[join->parent] : 0;
    StateCounts& parent = shares[join->parent];
    const std::size_t at = state * Area(join->largest) +
                           parent.first * (Offset{join->largest.second} + 1) + parent.second;
    const std::size_t entry = join->counts[at];
    const std::size_t child_width = Offset{join->child_largest.second} + 1;
    const StateCounts child = {static_cast<Index>(entry / child_width),
                               static_cast<Index>(entry % child_width)};
    shares[join->child] = child;
    parent = {parent.first - child.first, parent.second - child.second};
    labels[join->child] = join->states[state * Area(join->child_largest) + entry];
  }
}

}  // namespace slackline::internal
