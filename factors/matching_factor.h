// SPDX-License-Identifier: BSD-3-Clause
//
// Global factor whose allowed joint states are the matchings of a bipartite graph. Every binary
// variable is an edge, and each node has at most as many chosen edges as its capacity (1: a
// matching; more: a b-matching, e.g. words with fertility).
//
// Source: word alignment by matchings, with a min-cost flow as oracle, is the third application of
// Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, section 5 (after Taskar, Lacoste-Julien,
// Jordan, JMLR 2006). The maximum is found by successive shortest paths with
// potentials (Edmonds and Karp, 1972) in the network
//
//   left node i, supply b_i  —(edge e, capacity 1, cost −g_e)→  right node j
//   right node j  —(capacity b_j, cost 0)→  sink
//   left node i  —(cost 0)→  sink
//
// where g_e = messages_e(0) − messages_e(1) is the gain of choosing edge e, and the arc from i to
// the sink leaves a unit of i unmatched. Edges with g_e ≤ 0 are left out. Units are inserted one
// after the other. Dijkstra's search with potentials ends as soon as the sink is nearest, so a unit
// whose best edge leads to a free node only costs a scan of its edges.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/global_factor.h>

namespace slackline::internal {

/// Left nodes are 0 … num_left − 1, right nodes 0 … num_right − 1. The factor has no weights; the
/// features of the variables score the edges.
class MatchingFactor final : public GlobalFactor {
 public:
  struct Edge {
    Index left = 0;
    Index right = 0;
  };

  /// Variable e of the scope is edges[e]; nodes without an edge between them cannot be matched.
  /// Needs at least one edge; several between the same two nodes are allowed. Capacities are ≥ 0,
  /// one per node. Throws std::invalid_argument.
  MatchingFactor(std::vector<Edge> edges, std::vector<Index> left_capacities,
                 std::vector<Index> right_capacities);
  /// The same capacity for all nodes of a side.
  MatchingFactor(Index num_left, Index num_right, std::vector<Edge> edges, Index left_capacity = 1,
                 Index right_capacity = 1);

  std::string_view name() const override { return "matching"; }
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return 0; }
  void AddFeatures(std::span<const Index> /*states*/, double /*scale*/,
                   std::span<double> /*out*/) const override {}
  /// Ties are broken arbitrarily. With n nodes, E edges and U = Σ_i min(b_i, edges of i): at most U
  /// searches of O(E log E), most of which are far shorter.
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<Index> states) const override;
  double Score(std::span<const double> /*weights*/,
               std::span<const Index> /*states*/) const override {
    return 0;
  }
  bool IsRestricted() const override { return restricted_; }
  bool Allows(std::span<const Index> states) const override;
  double SquaredRange() const override { return 0; }

  std::span<const Edge> edges() const { return edges_; }
  Index num_left() const { return static_cast<Index>(left_capacities_.size()); }
  Index num_right() const { return static_cast<Index>(right_capacities_.size()); }

 private:
  std::vector<Edge> edges_;
  std::vector<Index> left_capacities_;
  std::vector<Index> right_capacities_;
  std::vector<Index> cardinalities_;
  // Edges of left node i: by_left_[left_begin_[i] … left_begin_[i + 1]).
  std::vector<Index> left_begin_;
  std::vector<Index> by_left_;
  bool restricted_ = false;  // whether a joint state can exceed a capacity
};

}  // namespace slackline::internal
