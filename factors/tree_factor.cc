// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/tree_factor.h>

#include <algorithm>
#include <string>

#include <slackline/core/check.h>
#include <slackline/factors/max_product.h>
#include <slackline/factors/max_rows.h>

namespace slackline::internal {
namespace {

double ValueOf(const StateMap& term, std::size_t joint) {
  return term.values.empty() ? 1.0 : term.values[joint];
}

}  // namespace

TreeFactor::TreeFactor(std::vector<Index> cardinalities, Index num_weights,
                       std::vector<FeatureTable> tables, std::vector<Edge> edges)
    : cardinalities_(std::move(cardinalities)),
      num_weights_(num_weights),
      tables_(std::move(tables)),
      edges_(std::move(edges)) {
  SLACKLINE_CHECK(!cardinalities_.empty() && num_weights_ >= 0,
                  "a tree factor needs at least one variable");
  begin_.push_back(0);
  for (const Index cardinality : cardinalities_) {
    SLACKLINE_CHECK(cardinality >= 1, "a variable needs at least one state");
    begin_.push_back(begin_.back() + cardinality);
  }
  for (const FeatureTable& table : tables_) {
    CheckFeatureTable(table);
    SLACKLINE_CHECK(table.cardinalities.size() == 2,
                    "the tables of a tree factor are over two variables");
  }
  const auto axes = static_cast<Index>(cardinalities_.size());
  for (const Edge& edge : edges_) {
    SLACKLINE_CHECK(edge.first >= 0 && edge.first < axes && edge.second >= 0 && edge.second < axes,
                    "an edge of a tree factor joins axes that it does not have");
    SLACKLINE_CHECK(edge.table >= 0 && edge.table < static_cast<Index>(tables_.size()),
                    "an edge of a tree factor has an unknown table");
    const FeatureTable& table = tables_[edge.table];
    SLACKLINE_CHECK(table.cardinalities[0] == cardinalities_[edge.first] &&
                        table.cardinalities[1] == cardinalities_[edge.second],
                    "the table of an edge does not fit its variables");
    SLACKLINE_CHECK(edge.base >= 0 && table.num_weights <= num_weights_ - edge.base,
                    "the table of an edge reads past the weights of its tree factor");
  }
  Order();
}

TreeFactor TreeFactor::Chain(Index length, FeatureTable pair) {
  SLACKLINE_CHECK(
      length >= 1 && pair.cardinalities.size() == 2 &&
          pair.cardinalities[0] == pair.cardinalities[1],
      "a chain needs at least one variable, and a pair of variables with as many states each");
  std::vector<Edge> edges;
  for (Index k = 0; k + 1 < length; ++k) edges.push_back({k, k + 1, 0, 0});
  const Index num_weights = pair.num_weights;
  std::vector<Index> cardinalities(length, pair.cardinalities[0]);
  return {std::move(cardinalities), num_weights, {std::move(pair)}, std::move(edges)};
}

Index TreeFactor::AddScoreTable(Index table, Index base) {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    if (keys_[k].table == table && keys_[k].base == base) return static_cast<Index>(k);
  }
  keys_.push_back({table, base, score_size_});
  score_size_ += tables_[table].num_states();
  return static_cast<Index>(keys_.size()) - 1;
}

/// Visits every component breadth first from its first axis; the steps are in reverse order.
void TreeFactor::Order() {
  const std::size_t axes = cardinalities_.size();
  std::vector<std::vector<Index>> edges_of(axes);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    edges_of[edges_[e].first].push_back(static_cast<Index>(e));
    edges_of[edges_[e].second].push_back(static_cast<Index>(e));
  }
  std::vector<bool> seen(axes);
  std::vector<Index> queue;
  for (std::size_t root = 0; root < axes; ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    roots_.push_back(static_cast<Index>(root));
    queue.assign(1, static_cast<Index>(root));
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Index at = queue[head];
      for (const Index e : edges_of[at]) {
        const Edge& edge = edges_[e];
        const Index other = edge.first == at ? edge.second : edge.first;
        if (seen[other]) continue;
        seen[other] = true;
        queue.push_back(other);
        steps_.push_back({other, at, edge.first == other, AddScoreTable(edge.table, edge.base)});
      }
    }
  }
  SLACKLINE_CHECK(steps_.size() == edges_.size(), "the edges of a tree factor close a cycle");
  std::reverse(steps_.begin(), steps_.end());
}

/// Calls visit(local weight, value) for every feature of the states.
template <class Visit>
void TreeFactor::ForEachFeature(std::span<const Index> states, const Visit& visit) const {
  for (const Edge& edge : edges_) {
    const FeatureTable& table = tables_[edge.table];
    const std::size_t joint = states[edge.first] * table.cardinalities[1] + states[edge.second];
    for (const StateMap& term : table.terms) {
      if (term.rows[joint] != kAbsent) visit(edge.base + term.rows[joint], ValueOf(term, joint));
    }
  }
}

void TreeFactor::AddFeatures(std::span<const Index> states, double scale,
                             std::span<double> out) const {
  ForEachFeature(states, [&](std::size_t weight, double value) { out[weight] += scale * value; });
}

double TreeFactor::Score(std::span<const double> weights, std::span<const Index> states) const {
  double score = 0;
  ForEachFeature(states,
                 [&](std::size_t weight, double value) { score += weights[weight] * value; });
  return score;
}

void TreeFactor::FillScores(std::span<const double> weights, std::span<double> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0);
  for (const ScoreTableKey& key : keys_) {
    double* own = scores.data() + key.offset;
    for (const StateMap& term : tables_[key.table].terms) {
      for (std::size_t joint = 0; joint < term.rows.size(); ++joint) {
        if (term.rows[joint] != kAbsent)
          own[joint] += weights[key.base + term.rows[joint]] * ValueOf(term, joint);
      }
    }
  }
}

/// The work space of one call, in the form that the sweeps of max_product.h need.
struct TreeFactor::Sweeps {
  const TreeFactor& tree;
  double* scores;
  double* beliefs;
  double* room;  // scratch space for a message

  const Step& step(Index k) const { return tree.steps_[k]; }
  const double* table(Index k) const { return scores + tree.keys_[step(k).scores].offset; }
  Index num_steps() const { return static_cast<Index>(tree.steps_.size()); }
  void SendUp(Index k) const {
    const Step& at = step(k);
    AddPairMessage({table(k), !at.child_first, states(at.child), states(at.parent)},
                   belief(at.child), room, belief(at.parent));
  }
  void Choose(Index k, std::span<Index> labels) const {
    const Step& at = step(k);
    const Index below = states(at.child);
    const Index state = labels[at.parent];
    const double* entry = table(k) + (at.child_first ? state : state * below);
    labels[at.child] =
        FirstBest(entry, at.child_first ? states(at.parent) : 1, belief(at.child), below);
  }
  double* belief(Index axis) const { return beliefs + tree.begin_[axis]; }
  Index states(Index axis) const { return tree.cardinalities_[axis]; }
  std::span<const Index> roots() const { return tree.roots_; }
};

double TreeFactor::Maximize(std::span<const double> weights, std::span<const double> messages,
                            std::span<Index> states) const {
  const std::size_t tables = score_size_;
  std::vector<double> room(tables + 2 * messages.size());
  Sweeps sweeps{*this, room.data(), room.data() + tables, room.data() + tables + messages.size()};
  FillScores(weights, {sweeps.scores, tables});
  for (std::size_t s = 0; s < messages.size(); ++s) sweeps.beliefs[s] = -messages[s];
  SweepUp(sweeps);
  return SweepDown(sweeps, states);
}

}  // namespace slackline::internal
