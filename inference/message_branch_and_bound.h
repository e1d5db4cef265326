// SPDX-License-Identifier: BSD-3-Clause
//
// Exact maximisation where message passing leaves a gap: its messages reparametrise the scores
// (every labelling keeps its score, and the maxima of the parts sum to the bound of the messages),
// and branch and bound (branch_and_bound.h) starts from these. On grids of 8 × 8 variables with 4
// states whose relaxation is not tight, some hundred nodes are enough. Where it reaches its node
// limit, its bound is still certified, and never above that of the messages.
//
// Cost of a call: one pass over all tables, some sweeps of the ascent, and about 90 ns a node.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// The node limits of successive calls for one graph. A call has the first limit. After one that
/// gave up, the limit doubles, but only for so many calls that all together take about twice the
/// time of calls with the first limit.
struct BranchAndBoundPlan {
  Index doublings = 0;   ///< of the node limit
  bool arrived = false;  ///< the last call with this limit ended below it
  Index rest = 0;        ///< calls to come with the first limit, unless `arrived`

  /// As a warm start keeps it behind the messages of `graph`; the default one where there is none.
  static BranchAndBoundPlan Read(const FactorGraph& graph, const WarmStart* warm);
  /// Requires that the warm start keeps messages of `graph`; may be null.
  void Write(const FactorGraph& graph, WarmStart* warm) const;

  /// Of the next call.
  Index next_doublings() const { return arrived || rest == 0 ? doublings : 0; }
  /// After it.
  void Record(bool complete);
};

class MessageBranchAndBound {
 public:
  /// Whether the graph is small enough for it: at most kMostStates states of all parts.
  static bool Fits(const FactorGraph& graph);
  static constexpr Offset kMostStates = 12'000;
  static constexpr Offset kNodeLimit = 20'000;  // 2 ms
  static constexpr Index kMostDoublings = 8;    // 0.5 s

  explicit MessageBranchAndBound(std::shared_ptr<const FactorGraph> graph);

  /// scores: total_states, finite. messages: total_messages, any finite ones; the better their
  /// bound, the fewer nodes. labels, value, upper_bound and exact of *result are set, the labelling
  /// being the best one found; upper_bound holds for labellings, not for the relaxation. Gives up
  /// after kNodeLimit
  /// · 2^doublings nodes; doublings: 0 to kMostDoublings.
  void Solve(std::span<const double> scores, std::span<const double> messages, MapResult* result,
             Index doublings = 0);

  std::int64_t work() const { return work_ + search_.work(); }

 private:
  std::shared_ptr<const FactorGraph> graph_;
  BranchAndBoundSolver search_;
  std::vector<double> moved_;  // the reparametrised scores
  std::int64_t work_ = 0;
};

/// Message passing, and branch and bound where its labelling does not reach its bound. Requires
/// finite scores. A WarmStart keeps the messages. Throws DataError on graphs with global factors.
std::unique_ptr<MapSolver> MakeMessageBranchAndBoundSolver(
    std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
