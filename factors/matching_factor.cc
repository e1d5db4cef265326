// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/matching_factor.h>

#include <algorithm>
#include <string>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// The flow and the search of one call of Maximize. Nodes are numbered left ones first, then right
/// ones. An arc of the residual network is an edge from its left node if not chosen, or from its
/// right node if chosen.
class Matcher {
 public:
  using Edge = MatchingFactor::Edge;

  Matcher(std::span<const Edge> edges, std::span<const Index> left_begin,
          std::span<const Index> by_left, std::span<const Index> right_capacities,
          std::span<const double> messages, std::span<Index> chosen)
      : edges_(edges),
        left_begin_(left_begin),
        by_left_(by_left),
        num_left_(static_cast<Index>(left_begin.size()) - 1),
        chosen_(chosen),
        gain_(edges.size()),
        room_(right_capacities.begin(), right_capacities.end()),
        first_mate_(room_.size(), -1),
        next_mate_(edges.size(), -1),
        potential_(num_left_ + room_.size(), 0.0),
        distance_(potential_.size(), kInfinity),
        arrived_by_(potential_.size(), -1) {
    for (std::size_t e = 0; e < edges.size(); ++e) gain_[e] = messages[2 * e] - messages[2 * e + 1];
    // These potentials make the reduced costs −g_e + p_i − p_j and p_i of the empty matching ≥ 0.
    for (std::size_t e = 0; e < edges.size(); ++e) {
      double& potential = potential_[edges[e].left];
      if (room_[edges[e].right] > 0) potential = std::max(potential, gain_[e]);
    }
  }

  /// The number of edges of left node i with a positive gain.
  Index NumUsefulEdges(Index i) const {
    Index count = 0;
    for (Index k = left_begin_[i]; k < left_begin_[i + 1]; ++k) count += gain_[by_left_[k]] > 0;
    return count;
  }

  /// Adds one unit of left node i: matches it, or leaves it unmatched, whichever is better.
  void Insert(Index i) {
    const Index end = Search(i);
    for (const Index node : touched_) {
      const double short_of = distance_[node] - end_distance_;
      if (short_of < 0) potential_[node] += short_of;
    }
    Flip(end, i);
    for (const Index node : touched_) {
      distance_[node] = kInfinity;
      arrived_by_[node] = -1;
    }
    touched_.clear();
    heap_.clear();
  }

 private:
  struct Entry {
    double distance;
    Index node;
    bool operator<(const Entry& other) const {
      return distance > other.distance;
    }  // the nearest on top
  };

  Index RightNode(Index j) const { return num_left_ + j; }

  /// Dijkstra's search from i until the sink is nearest; returns the last node before the sink.
  Index Search(Index i) {
    end_distance_ = kInfinity;
    Index end = i;
    Reach(i, 0.0, -1);
    while (!heap_.empty() && heap_.front().distance < end_distance_) {
      const Entry entry = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
      if (entry.distance > distance_[entry.node]) continue;  // outdated entry
      if (entry.node < num_left_) {
        TryEnd(entry.node, entry.distance, &end);
        for (Index k = left_begin_[entry.node]; k < left_begin_[entry.node + 1]; ++k) {
          const Index e = by_left_[k];
          if (chosen_[e] != 0 || !(gain_[e] > 0)) continue;
          const Index right = RightNode(edges_[e].right);
          const double cost = potential_[entry.node] - gain_[e] - potential_[right];
          Reach(right, entry.distance + std::max(0.0, cost), e);
        }
      } else {
        const Index j = entry.node - num_left_;
        if (room_[j] > 0) TryEnd(entry.node, entry.distance, &end);
        for (Index e = first_mate_[j]; e >= 0; e = next_mate_[e]) {
          const Index left = edges_[e].left;
          const double cost = gain_[e] + potential_[entry.node] - potential_[left];
          Reach(left, entry.distance + std::max(0.0, cost), e);
        }
      }
    }
    return end;
  }

  void Reach(Index node, double distance, Index by) {
    // Nodes farther than the sink cannot lie on a shortest path.
    if (distance >= distance_[node] || distance >= end_distance_) return;
    if (distance_[node] == kInfinity) touched_.push_back(node);
    distance_[node] = distance;
    arrived_by_[node] = by;
    heap_.push_back({distance, node});
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// Tries the arc from a node to the sink, whose potential is always 0.
  void TryEnd(Index node, double distance, Index* end) {
    distance += std::max(0.0, potential_[node]);
    if (distance >= end_distance_) return;
    end_distance_ = distance;
    *end = node;
  }

  /// Sends a unit along the path from `start` to `node`.
  void Flip(Index node, Index start) {
    if (node >= num_left_) --room_[node - num_left_];
    while (node != start) {
      const Index e = arrived_by_[node];
      const Edge& edge = edges_[e];
      Index* mate = &first_mate_[edge.right];
      if (node >= num_left_) {
        next_mate_[e] = std::exchange(*mate, e);
        node = edge.left;
      } else {
        while (*mate != e) mate = &next_mate_[*mate];
        *mate = next_mate_[e];
        node = RightNode(edge.right);
      }
      chosen_[e] = 1 - chosen_[e];
    }
  }

  std::span<const Edge> edges_;
  std::span<const Index> left_begin_;
  std::span<const Index> by_left_;
  Index num_left_;
  std::span<Index> chosen_;
  std::vector<double> gain_;
  std::vector<Index> room_;  // per right node: remaining capacity
  // Per right node its chosen edges as a linked list, and per edge the next one.
  std::vector<Index> first_mate_;
  std::vector<Index> next_mate_;
  std::vector<double> potential_;
  std::vector<double> distance_;
  std::vector<Index> arrived_by_;
  std::vector<Index> touched_;
  std::vector<Entry> heap_;
  double end_distance_ = kInfinity;
};

std::vector<Index> Uniform(Index count, Index capacity) {
  SLACKLINE_CHECK(count >= 0, "a matching factor needs a number of nodes ≥ 0");
  return std::vector<Index>(count, capacity);
}

}  // namespace

MatchingFactor::MatchingFactor(Index num_left, Index num_right, std::vector<Edge> edges,
                               Index left_capacity, Index right_capacity)
    : MatchingFactor(std::move(edges), Uniform(num_left, left_capacity),
                     Uniform(num_right, right_capacity)) {}

MatchingFactor::MatchingFactor(std::vector<Edge> edges, std::vector<Index> left_capacities,
                               std::vector<Index> right_capacities)
    : edges_(std::move(edges)),
      left_capacities_(std::move(left_capacities)),
      right_capacities_(std::move(right_capacities)) {
  SLACKLINE_CHECK(!edges_.empty(), "a matching factor needs at least one edge");
  for (const auto* capacities : {&left_capacities_, &right_capacities_}) {
    for (const Index capacity : *capacities)
      SLACKLINE_CHECK(capacity >= 0, "a capacity of a matching factor is negative");
  }
  left_begin_.assign(left_capacities_.size() + 1, 0);
  std::vector<Index> right_degree(right_capacities_.size(), 0);
  for (const Edge& edge : edges_) {
    SLACKLINE_CHECK(
        edge.left >= 0 && edge.left < num_left() && edge.right >= 0 && edge.right < num_right(),
        "an edge of a matching factor joins nodes that are not there");
    ++left_begin_[edge.left + 1];
    ++right_degree[edge.right];
  }
  for (std::size_t i = 0; i < left_capacities_.size(); ++i) {
    restricted_ = restricted_ || left_begin_[i + 1] > left_capacities_[i];
    left_begin_[i + 1] += left_begin_[i];
  }
  for (std::size_t j = 0; j < right_degree.size(); ++j)
    restricted_ = restricted_ || right_degree[j] > right_capacities_[j];
  by_left_.resize(edges_.size());
  std::vector<Index> next(left_begin_.begin(), left_begin_.end() - 1);
  for (std::size_t e = 0; e < edges_.size(); ++e)
    by_left_[next[edges_[e].left]++] = static_cast<Index>(e);
  cardinalities_.assign(edges_.size(), 2);
}

bool MatchingFactor::Allows(std::span<const Index> states) const {
  std::vector<Index> left = left_capacities_;
  std::vector<Index> right = right_capacities_;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (states[e] == 0) continue;
    if (--left[edges_[e].left] < 0 || --right[edges_[e].right] < 0) return false;
  }
  return true;
}

double MatchingFactor::Maximize(std::span<const double> /*weights*/,
                                std::span<const double> messages, std::span<Index> states) const {
  std::fill(states.begin(), states.end(), 0);
  Matcher matcher(edges_, left_begin_, by_left_, right_capacities_, messages, states);
  for (Index i = 0; i < num_left(); ++i) {
    if (left_capacities_[i] == 0) continue;
    const Index units = std::min(left_capacities_[i], matcher.NumUsefulEdges(i));
    for (Index unit = 0; unit < units; ++unit) matcher.Insert(i);
  }
  return -MessageSum(cardinalities_, messages, states);
}

}  // namespace slackline::internal
