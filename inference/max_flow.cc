// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/max_flow.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline::internal {
namespace {

std::size_t Size(Index n) { return static_cast<std::size_t>(n); }

}  // namespace

void MaxFlow::Reset(Index nodes) {
  edges_.clear();
  excess_.assign(Size(nodes), 0.0);
}

Index MaxFlow::AddEdge(Index i, Index j, double forward, double backward) {
  edges_.push_back({i, j, forward, backward, 0});
  return static_cast<Index>(edges_.size()) - 1;
}

/// Sorts the arcs by their tails: one counting sort.
void MaxFlow::BuildArcs() {
  const std::size_t nodes = excess_.size();
  first_.assign(nodes + 1, 0);
  for (const Edge& edge : edges_) {
    ++first_[Size(edge.tail)];
    ++first_[Size(edge.head)];
  }
  Index total = 0;
  for (std::size_t n = 0; n <= nodes; ++n) {
    total += first_[n];
    first_[n] = total;  // the end of the node's arcs, moved down to their begin below
  }
  head_.resize(Size(total));
  mate_.resize(Size(total));
  residual_.resize(Size(total));
  edge_arc_.resize(edges_.size());
  for (std::size_t e = edges_.size(); e-- > 0;) {
    const Edge& edge = edges_[e];
    const Index there = --first_[Size(edge.tail)];
    const Index back = --first_[Size(edge.head)];
    head_[Size(there)] = edge.head;
    head_[Size(back)] = edge.tail;
    mate_[Size(there)] = back;
    mate_[Size(back)] = there;
    residual_[Size(there)] = edge.forward - edge.sent;
    residual_[Size(back)] = edge.backward + edge.sent;
    edge_arc_[e] = there;
  }
}

/// Breadth-first search from the sinks against the arcs. True when a node with excess was reached.
/// Stops after the first level that has one.
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
    const Index level = level_[Size(node)];
    if (level >= last) break;
    const Index end = first_[Size(node) + 1];
    work_ += end - first_[Size(node)];
    for (Index arc = first_[Size(node)]; arc < end; ++arc) {
      const Index tail = head_[Size(arc)];
      if (level_[Size(tail)] >= 0 || residual_[Size(mate_[Size(arc)])] <= 0) continue;
      level_[Size(tail)] = level + 1;
      queue_.push_back(tail);
      if (excess_[Size(tail)] > 0) {
        found = true;
        last = level + 1;
      }
    }
  }
  return found;
}

/// Sends as much of the source's excess as the level graph takes.
double MaxFlow::Augment(Index source) {
  double sent = 0;
  path_.clear();
  Index node = source;
  while (true) {
    if (level_[Size(node)] == 0) {
      double amount = std::min(excess_[Size(source)], -excess_[Size(node)]);
      for (const Index arc : path_) amount = std::min(amount, residual_[Size(arc)]);
      excess_[Size(source)] -= amount;
      excess_[Size(node)] += amount;
      sent += amount;
      // Back to the tail of the first arc that is full now. A sink that is served is no goal any
      // more.
      std::size_t keep = path_.size();
      for (std::size_t k = path_.size(); k-- > 0;) {
        residual_[Size(path_[k])] -= amount;
        residual_[Size(mate_[Size(path_[k])])] += amount;
        if (residual_[Size(path_[k])] <= 0) keep = k;
      }
      if (excess_[Size(node)] >= 0) {
        level_[Size(node)] = -1;
        if (keep == path_.size() && keep > 0) --keep;
      }
      if (excess_[Size(source)] <= 0) return sent;
      node = keep == 0 ? source : head_[Size(path_[keep - 1])];
      path_.resize(keep);
      continue;
    }
    Index& arc = current_[Size(node)];
    const Index end = first_[Size(node) + 1];
    const Index wanted = level_[Size(node)] - 1;
    const Index begin = arc;
    while (arc < end && !(level_[Size(head_[Size(arc)])] == wanted && residual_[Size(arc)] > 0))
      ++arc;
    work_ += arc - begin + 1;
    if (arc < end) {
      path_.push_back(arc);
      node = head_[Size(arc)];
      continue;
    }
    if (path_.empty()) return sent;
    level_[Size(node)] = -1;  // a dead end
    node = head_[Size(mate_[Size(path_.back())])];
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

/// Paths of one arc, before the arcs are sorted: cheaper than the first level graph.
double MaxFlow::SendAlongEdges() {
  double sent = 0;
  for (Edge& edge : edges_) {
    double& i = excess_[Size(edge.tail)];
    double& j = excess_[Size(edge.head)];
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
  const Edge& e = edges_[Size(edge)];
  // The smaller change has the smaller rounding error.
  return 0.5 * ((e.forward - residual_[Size(edge_arc_[Size(edge)])]) +
                (residual_[Size(mate_[Size(edge_arc_[Size(edge)])])] - e.backward));
}

}  // namespace slackline::internal
