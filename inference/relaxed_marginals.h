// SPDX-License-Identifier: BSD-3-Clause
//
// Near-optimal points of the local polytope of any graph without an LP solver.
//
// Source: Savchynskyy, Schmidt, Kappes, Schnörr, "Efficient MRF energy minimization via adaptive
// diminishing smoothing", UAI 2012. Here with the soft star updates of star_updates.h.
//
// Descends on the smooth dual B_ε. Its minimiser gives a distribution over the states of every
// part; these are the marginals of a point of the local polytope up to the distance from the
// minimum. RepairToLocalPolytope makes a point μ of the polytope of them, so every check has θ·μ ≤
// optimum ≤ B(δ). With the entropy H(μ) of all parts, the gap B_ε(δ) − (θ·μ + ε H(μ)) tells how far
// the sweeps are from the minimum of B_ε. When this gap falls below ε H(μ), the cost of smoothing
// itself, ε is halved.
//
// Accuracy: the gap falls like 1 / sweeps, so this method does not replace a simplex method. On
// grids of 12 × 12 variables with 5 states and normal scores, a thousandth takes 2900 sweeps and
// 0.7 s; on 30 × 30 with 8 states the limit ends at about a hundredth. μ lies near the middle of
// the optimal face, not at a corner.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/map_solver.h>

namespace slackline::internal {

struct RelaxedOptions {
  /// Sweeps end when the bound exceeds the value of the point by at most this share of the scale:
  /// of |bound|, or of the bound minus the mean of all scores, whichever is smaller.
  double gap_tolerance = 1e-3;
  /// A sweep: one star update per variable (StarSweep).
  Index max_sweeps = 10000;
  /// Exponentials of all sweeps together: Σ_c axes · states in each, some 25 ns for one.
  double max_exponentials = 2e8;
  const StopCondition* stop = nullptr;  ///< ends the sweeps; null: never
};

struct RelaxedPoint {
  std::vector<double> marginals;  ///< total_states entries, in the local polytope to 1e-12
  double value = 0;               ///< θ · marginals
  double bound = 0;               ///< no point of the local polytope has a larger value
  Index sweeps = 0;
};

/// The best point found. Begins with these messages (total_messages entries; zeros, or messages of
/// message_passing.h), which become the messages of the bound. Requires finite scores and no global
/// factors. Takes about four times the memory of the scores.
RelaxedPoint SolveLocalPolytope(const FactorGraph& graph, std::span<const double> scores,
                                std::span<double> messages, const RelaxedOptions& options = {});

/// Message passing. Where its labelling does not reach the bound, SolveLocalPolytope continues from
/// the messages; its point is taken if it has a larger value. Needs finite scores.
std::unique_ptr<MapSolver> MakeRelaxedMessageSolver(std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
