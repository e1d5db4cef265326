// SPDX-License-Identifier: BSD-3-Clause
//
// Maximum flow and minimum cut in arrays that are kept between calls: the inside of roof duality
// and graph cuts, where one training run solves millions of small problems.
//
// Source: Dinic (1970), blocking flows in level graphs. Levels are counted from the sinks, so that
// a path never enters a node from which no sink can be reached. Terminals are signed excesses of
// the nodes, as in Boykov and Kolmogorov (2004). Every augmentation empties a node or saturates an
// arc exactly, so that it ends with floating-point capacities too, without tolerances.
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

class MaxFlow {
 public:
  /// Forgets everything and begins with `nodes` nodes without excess. Keeps its memory.
  void Reset(Index nodes);

  /// amount > 0: raises the capacity source → node; amount < 0: that of node → sink. Capacities of
  /// both kinds at one node cancel, as the flow through them would.
  void AddExcess(Index node, double amount) { excess_[node] += amount; }

  /// An edge that carries at most `forward` ≥ 0 from i to j and `backward` ≥ 0 from j to i; i ≠ j.
  /// Returns its number.
  Index AddEdge(Index i, Index j, double forward, double backward);

  /// Finds a maximum flow. Returns the amount (without what cancelled at single nodes).
  double Solve();

  // After Solve:
  /// True for the nodes from which a sink can still be reached: the smallest sink side of all
  /// minimum cuts.
  bool SinkSide(Index node) const { return level_[node] >= 0; }
  /// Net flow from i to j over edge number `edge`.
  double EdgeFlow(Index edge) const;
  /// Excess that found no way (> 0), or demand not met (< 0).
  double Excess(Index node) const { return excess_[node]; }
  /// Arcs looked at by all calls so far: a count of work that does not depend on the machine.
  std::int64_t work() const { return work_; }

 private:
  struct Edge {
    Index tail, head;
    double forward, backward;
    double sent;  // before the first level graph
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
  std::vector<Index> mate_;       // per arc: the arc the other way
  std::vector<double> residual_;  // per arc
  std::vector<Index> edge_arc_;   // per edge: its arc i → j
  std::vector<Index> level_;      // arcs to the nearest sink; −1: none can be reached
  std::vector<Index> current_;    // per node: next arc to try
  std::vector<Index> queue_;
  std::vector<Index> path_;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
