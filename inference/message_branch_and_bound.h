// SPDX-License-Identifier: BSD-3-Clause
//
// Exact maximisation where message passing leaves a gap: its messages reparametrise the scores
// (every labelling keeps its score, and the maxima of the parts sum to the bound of the messages),
// and a short branch and bound (branch_and_bound.h) goes on from there. On grids of 8 × 8 variables
// with 4 states whose relaxation is not tight, some hundred nodes are enough; where the node limit
// is not, what is left is still a certified bound, never above that of the messages.
//
// Cost of a search: one pass over all tables, some sweeps of the ascent, and about 90 ns a node.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// How far the searches of one graph go, call by call: to the first node limit, and from time to
/// time, once these have given up, to the next higher one, so that all searches together take about
/// twice the time of the first ones.
struct SearchPlan {
  Index doublings = 0;   ///< of the node limit
  bool arrived = false;  ///< the last search to this limit ended before it
  Index rest = 0;        ///< calls to come with the first limit, unless it arrived

  /// As a warm start keeps it behind the messages of `graph`; the default one where there is none.
  static SearchPlan Read(const FactorGraph& graph, const WarmStart* warm);
  /// Requires that the warm start keeps messages of `graph`; may be null.
  void Write(const FactorGraph& graph, WarmStart* warm) const;

  /// Of the next search.
  Index next_doublings() const { return arrived || rest == 0 ? doublings : 0; }
  /// After it.
  void Record(bool complete);
};

class MessageBranchAndBound {
 public:
  /// Whether searches of the graph have a prospect: at most kMostStates states of all parts.
  static bool Fits(const FactorGraph& graph);
  static constexpr Offset kMostStates = 12'000;
  static constexpr Offset kNodeLimit = 20'000;  // 2 ms
  static constexpr Index kMostDoublings = 8;    // 0.5 s

  explicit MessageBranchAndBound(std::shared_ptr<const FactorGraph> graph);

  /// scores: total_states, finite. messages: total_messages, any finite ones; good ones make it
  /// short. labels, value, upper_bound and exact of *result are set, the labelling being the best
  /// one found; upper_bound holds for labellings, not for the relaxation. Gives up after kNodeLimit
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

/// Message passing, and a search where its labelling does not reach its bound. Requires finite
/// scores. A WarmStart keeps the messages. Throws DataError on graphs with global factors.
std::unique_ptr<MapSolver> MakeMessageBranchAndBoundSolver(
    std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
