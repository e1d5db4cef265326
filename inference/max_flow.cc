// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/max_flow.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline::internal {

void MaxFlow::Reset(Index nodes) {
  edges_.clear();
  excess_.assign(nodes, 0.0);
}

Index MaxFlow::AddEdge(Index i, Index j, double forward, double backward) {
  edges_.push_back({i, j, forward, backward, 0});
  return static_cast<Index>(edges_.size()) - 1;
}

/// Sorts the arcs by their tails, by counting sort.
void MaxFlow::BuildArcs() {
  const std::size_t nodes = excess_.size();
  first_.assign(nodes + 1, 0);
  for (const Edge& edge : edges_) {
    ++first_[edge.tail];
    ++first_[edge.head];
  }
  Index total = 0;
  for (std::size_t n = 0; n <= nodes; ++n) {
    total += first_[n];
    first_[n] = total;  // the end of the node's arcs, moved down to their begin below
  }
  head_.resize(total);
  mate_.resize(total);
  residual_.resize(total);
  edge_arc_.resize(edges_.size());
  for (std::size_t e = edges_.size(); e-- > 0;) {
    const Edge& edge = edges_[e];
    const Index there = --first_[edge.tail];
    const Index back = --first_[edge.head];
    head_[there] = edge.head;
    head_[back] = edge.tail;
    mate_[there] = back;
    mate_[back] = there;
    residual_[there] = edge.forward - edge.sent;
    residual_[back] = edge.backward + edge.sent;
    edge_arc_[e] = there;
  }
}

/// Breadth-first search from the sinks against the direction of the arcs. Stops after the first
/// level that has a node with excess; returns whether there is one.
bool MaxFlow::FindLevels() {
  const std::size_t nodes = excess_.size();
  level_.assign(nodes, -1);
  queue_.clear();
  for (std::size_t n = 0; n < nodes; ++n) {
    if (excess_[n] < 0) {
      level_[n] = 0;
      queue_.push_back(static_cast<Index>(n));
    }
  }
  bool found = false;
  Index last = std::numeric_limits<Index>::max();
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    const Index node = queue_[k];
    const Index level = level_[node];
    if (level >= last) break;
    const Index end = first_[node + 1];
    work_ += end - first_[node];
    for (Index arc = first_[node]; arc < end; ++arc) {
      const Index tail = head_[arc];
      if (level_[tail] >= 0 || residual_[mate_[arc]] <= 0) continue;
      level_[tail] = level + 1;
      queue_.push_back(tail);
      if (excess_[tail] > 0) {
        found = true;
        last = level + 1;
      }
    }
  }
  return found;
}

/// Sends as much of the source's excess as the level graph allows; returns the amount.
double MaxFlow::Augment(Index source) {
  double sent = 0;
  path_.clear();
  Index node = source;
  while (true) {
    if (level_[node] == 0) {
      double amount = std::min(excess_[source], -excess_[node]);
      for (const Index arc : path_) amount = std::min(amount, residual_[arc]);
      excess_[source] -= amount;
      excess_[node] += amount;
      sent += amount;
      // The search continues at the tail of the first saturated arc. A sink whose demand is met
      // leaves the level graph.
      std::size_t keep = path_.size();
      for (std::size_t k = path_.size(); k-- > 0;) {
        residual_[path_[k]] -= amount;
        residual_[mate_[path_[k]]] += amount;
        if (residual_[path_[k]] <= 0) keep = k;
      }
      if (excess_[node] >= 0) {
        level_[node] = -1;
        if (keep == path_.size() && keep > 0) --keep;
      }
      if (excess_[source] <= 0) return sent;
      node = keep == 0 ? source : head_[path_[keep - 1]];
      path_.resize(keep);
      continue;
    }
    Index& arc = current_[node];
    const Index end = first_[node + 1];
    const Index wanted = level_[node] - 1;
    const Index begin = arc;
    while (arc < end && !(level_[head_[arc]] == wanted && residual_[arc] > 0)) ++arc;
    work_ += arc - begin + 1;
    if (arc < end) {
      path_.push_back(arc);
      node = head_[arc];
      continue;
    }
    if (path_.empty()) return sent;
    level_[node] = -1;  // a dead end
    node = head_[mate_[path_.back()]];
    path_.pop_back();
  }
}

double MaxFlow::BlockingFlow() {
  current_.assign(first_.begin(), first_.end() - 1);
  double sent = 0;
  for (std::size_t n = 0; n < excess_.size(); ++n) {
    if (excess_[n] > 0 && level_[n] > 0) sent += Augment(static_cast<Index>(n));
  }
  return sent;
}

/// Sends flow along paths of one edge, before the arcs are sorted, which is cheaper than the first
/// level graph. Returns the amount.
double MaxFlow::SendAlongEdges() {
  double sent = 0;
  for (Edge& edge : edges_) {
    double& i = excess_[edge.tail];
    double& j = excess_[edge.head];
    if (i * j >= 0) continue;
    const double amount =
        i > 0 ? std::min({i, -j, edge.forward}) : -std::min({-i, j, edge.backward});
    edge.sent = amount;
    i -= amount;
    j += amount;
    sent += std::abs(amount);
  }
  return sent;
}

double MaxFlow::Solve() {
  double total = SendAlongEdges();
  BuildArcs();
  while (FindLevels()) total += BlockingFlow();
  return total;
}

double MaxFlow::EdgeFlow(Index edge) const {
  const Edge& e = edges_[edge];
  // The flow is the mean of the changes of the two residual capacities.
  return 0.5 * ((e.forward - residual_[edge_arc_[edge]]) +
                (residual_[mate_[edge_arc_[edge]]] - e.backward));
}

}  // namespace slackline::internal
