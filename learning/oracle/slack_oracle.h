// SPDX-License-Identifier: BSD-3-Clause
//
// The oracle of slack rescaling (Tsochantaridis, Joachims, Hofmann, Altun, JMLR 2005, section
// 2.2.1):
//
//   max_s Δ(s) · (1 − w·ψ(s)),   ψ(s) = φ(y) − φ(s), y the ground truth.
//
// Loss and score are multiplied, so solvers for sums of part scores do not apply directly. As a
// corner (active_set.h), labelling s is the point φ(y) + Δ(s)·(φ(s) − φ(y)) with loss Δ(s), and all
// that is linear in corners holds as with margin rescaling. The method depends on the example and
// on --oracle:
//
//   counts        exact: the best score for every value of the loss, where the loss is a function
//                 of counts (loss_counts.h) and the graph is a forest of pairs
//                 (inference/count_forest.h)
//   enumeration   exact: all labellings, without those that forbidden states or global factors rule
//                 out; up to kMaxSlackLabellings, with brute-force up to kMaxLabellings
//   multipliers   a labelling, and a bound that may be larger, from a solver for sums
//                 (slack_search.h)
//
// kAuto takes the first one that applies, and a named solver means multipliers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/count_forest.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/oracle/loss_counts.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Largest number of labellings that are enumerated unasked.
inline constexpr Offset kMaxSlackLabellings = 4096;

enum class SlackMethod { kCounts, kEnumeration, kMultipliers };

/// The method for example m. O(states of the example).
SlackMethod SlackMethodOf(const Problem& problem, Index m, SolverKind solver);
/// Whether an example of each structure needs the solver for sums. O(states of all examples).
std::vector<bool> SlackNeedsSolver(const Problem& problem, SolverKind solver);
/// The solver for sums that kAuto stands for: one that maximises over labellings, where there is
/// one. Corners are labellings, so training does not keep a relaxation's bounds near the objective:
/// on Yeast with all pairs of labels, roof duality proved no better bound than at w = 0.
SolverKind AutomaticSlackSolver(const FactorGraph& graph);

/// Keeps work space: one object per thread.
class SlackOracle {
 public:
  /// Throws DataError where brute-force would enumerate more than kMaxLabellings labellings.
  SlackOracle(const Problem& problem, SolverKind solver);

  SlackMethod MethodOf(Index m) { return MethodOf(m, solver_); }

  /// Finds a labelling of example m: the best one, unless the method is kMultipliers. Ties go to
  /// the ground truth. Sets *result: labels; value = w·φ(y) + Δ(s)·(1 + w·φ(s) − w·φ(y)); a
  /// certified upper bound on this value over all allowed labellings; and whether value and bound
  /// are known to be equal. u: all coordinate scores of the example (CoordinateScores), with the
  /// weights of global factors. sums: a solver for the structure, with its weights set; only
  /// kMultipliers needs it. warm: for that solver; may be null.
  void Maximise(Index m, std::span<const double> u, MapSolver* sums, WarmStart* warm,
                MapResult* result);

  /// Table entries that the calls so far have computed, not counting solvers for sums.
  std::int64_t work() const;

 private:
  friend SlackMethod SlackMethodOf(const Problem&, Index, SolverKind);
  SlackMethod MethodOf(Index m, SolverKind solver);
  CountForest& ForestOf(Index m);
  double Value(double truth, double loss, double score) const {
    return truth + loss * (1 + (score - truth));
  }
  double ScoreOf(const Structure& structure, std::span<const double> u,
                 std::span<const Index> labels);
  double ByCounts(Index m, double truth, std::span<Index> labels);
  double ByEnumeration(Index m, std::span<const double> u, double truth, std::span<Index> labels);
  double ByMultipliers(Index m, std::span<const double> u, double truth, MapSolver* sums,
                       WarmStart* warm, std::span<Index> labels);

  Problem problem_;
  SolverKind solver_;
  std::vector<std::unique_ptr<CountForest>> forests_;  // per structure; null before their first use
  LossCounts counts_;
  MapResult answer_;
  std::vector<double> scores_, sum_scores_, add_;
  std::vector<Index> states_;
  std::vector<Index> labels_;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
