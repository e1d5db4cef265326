// SPDX-License-Identifier: BSD-3-Clause
//
// Maximum flow and minimum cut in arrays that are kept between calls, for roof duality and graph
// cuts, where one training run solves millions of small problems.
//
// Source: Dinic (1970), blocking flows in level graphs. Levels are counted from the sinks, so that
// a path never enters a node from which no sink can be reached. Terminals are signed excesses of
// the nodes, as in Boykov and Kolmogorov (2004). Every augmentation empties a node or saturates an
// arc exactly, so that the method terminates with floating-point capacities without tolerances.
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

class MaxFlow {
 public:
  /// Removes all edges, and begins with `nodes` nodes without excess. Keeps the memory.
  void Reset(Index nodes);

  /// Raises the capacity source → node by amount > 0, or the capacity node → sink by −amount > 0.
  /// Capacities of both kinds at the same node cancel, like the flow through them.
  void AddExcess(Index node, double amount) { excess_[node] += amount; }

  /// An edge that carries at most `forward` ≥ 0 from i to j and `backward` ≥ 0 from j to i; i ≠ j.
  /// Returns its number.
  Index AddEdge(Index i, Index j, double forward, double backward);

  /// Finds a maximum flow. Returns its amount, without the flow that cancelled at single nodes.
  double Solve();

  // Results of the last Solve.
  /// Whether a sink can still be reached from the node. These nodes are the smallest sink side of
  /// all minimum cuts.
  bool SinkSide(Index node) const { return level_[node] >= 0; }
  /// Net flow from i to j over edge number `edge`.
  double EdgeFlow(Index edge) const;
  /// Remaining excess (> 0) or remaining demand (< 0) of a node.
  double Excess(Index node) const { return excess_[node]; }
  /// Number of arcs visited by all calls so far; does not depend on the machine.
  std::int64_t work() const { return work_; }

 private:
  struct Edge {
    Index tail, head;
    double forward, backward;
    double sent;  // flow from tail to head before the first level graph
  };
  double SendAlongEdges();
  void BuildArcs();
  bool FindLevels();
  double BlockingFlow();
  double Augment(Index source);

  std::vector<Edge> edges_;
  std::vector<double> excess_;
  std::vector<Index> first_;      // arcs of node n: [first_[n], first_[n + 1])
  std::vector<Index> head_;       // per arc
  std::vector<Index> mate_;       // per arc: the reverse arc
  std::vector<double> residual_;  // per arc
  std::vector<Index> edge_arc_;   // per edge: its arc i → j
  std::vector<Index> level_;      // arcs to the nearest sink; −1: none can be reached
  std::vector<Index> current_;    // per node: next arc to try
  std::vector<Index> queue_;
  std::vector<Index> path_;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
