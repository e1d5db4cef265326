// SPDX-License-Identifier: BSD-3-Clause
//
// Exact maximisation where message passing leaves a gap. The messages reparametrise the scores:
// every labelling keeps its score, and the maxima of the parts sum to the bound of the messages.
// Branch and bound (branch_and_bound.h) starts from the reparametrised scores. On grids of 8 × 8
// variables with 4 states whose relaxation is not tight, a few hundred nodes suffice. If branch and
// bound reaches its node limit, its bound is still certified, and never above the bound of the
// messages.
//
// Cost of a call: one pass over all tables, some sweeps of the ascent, and about 90 ns per node.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// The node limits of successive calls for one example. The first call has the limit kNodeLimit. A
/// call that reaches its limit doubles the limit of later calls, but calls with the larger limit
/// are so rare that all calls together take at most about twice the time of calls with kNodeLimit.
struct BranchAndBoundPlan {
  Index doublings = 0;   ///< number of doublings of the node limit
  bool arrived = false;  ///< whether the last call with this limit ended below it
  Index rest = 0;        ///< calls that still have the limit kNodeLimit, unless `arrived`

  /// Reads the plan behind the messages of `graph` in a warm start; the default if there is none.
  static BranchAndBoundPlan Read(const FactorGraph& graph, const WarmStart* warm);
  /// Writes the plan behind the messages of `graph` in the warm start, which may be null. Throws
  /// std::invalid_argument when the warm start has no messages.
  void Write(const FactorGraph& graph, WarmStart* warm) const;

  /// Doublings of the node limit in the next call.
  Index next_doublings() const { return arrived || rest == 0 ? doublings : 0; }
  /// Records the outcome of that call. complete: whether it ended below its limit.
  void Record(bool complete);
};

class MessageBranchAndBound {
 public:
  /// Whether the graph is small enough: at most kMostStates states of all parts.
  static bool Fits(const FactorGraph& graph);
  static constexpr Offset kMostStates = 12'000;
  static constexpr Offset kNodeLimit = 20'000;  // about 2 ms
  static constexpr Index kMostDoublings = 8;    // about 0.5 s

  explicit MessageBranchAndBound(std::shared_ptr<const FactorGraph> graph);

  /// Finds the best labelling, or gives up after kNodeLimit · 2^doublings nodes with the best one
  /// found. scores: total_states, finite. messages: total_messages, any finite numbers; the better
  /// their bound, the fewer nodes. doublings: 0 to kMostDoublings, else std::invalid_argument. Sets
  /// labels, value, upper_bound and exact of *result; upper_bound holds for labellings, not for the
  /// relaxation.
  void Solve(std::span<const double> scores, std::span<const double> messages, MapResult* result,
             Index doublings = 0);

  void SetStop(const StopCondition* stop) { search_.SetStop(stop); }
  std::int64_t work() const { return work_ + search_.work(); }

 private:
  std::shared_ptr<const FactorGraph> graph_;
  BranchAndBoundSolver search_;
  std::vector<double> moved_;  // the reparametrised scores
  std::int64_t work_ = 0;
};

/// A solver by message passing, followed by branch and bound if the labelling does not reach the
/// bound and the graph is small enough. Requires finite scores. A WarmStart keeps the messages.
/// Throws DataError on graphs with global factors.
std::unique_ptr<MapSolver> MakeMessageBranchAndBoundSolver(
    std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
