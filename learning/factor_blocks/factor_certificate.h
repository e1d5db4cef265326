// SPDX-License-Identifier: BSD-3-Clause
//
// Evaluation of a factor-block point: objectives of the penalized problem, and the certificate of
// the relaxed problem.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <slackline/learning/factor_blocks/factor_blocks.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/dual_points.h>
#include <slackline/learning/step/mixed_points.h>

namespace slackline::internal {

struct FactorEvaluation {
  double relaxed_primal = 0;  ///< g(w,δ): certified upper bound on G*
  double soft_primal = 0;  ///< g(w,δ) + (ρ/2M)‖δ−η‖²; with smoothing γ: smooth maxima in g
  double soft_dual = 0;  ///< f(μ) − (1/M)Σηv − (1/(2ρM))Σ‖v‖² − (γ/2M)Σ‖μ_a‖²
  /// Σ_a gap_a: equals soft_primal − soft_dual − λ/2‖w − Ψμ‖² (the gap computed the second way)
  double block_gaps = 0;
  double dual_point = 0;  ///< f(μ) of the point itself (not a bound while constraints are violated)
  double violation = 0;   ///< max |A_ci μ_c − μ_i|
  double violation_norm = 0;  ///< √(Σ‖v‖² / number of edges)
};

// The parts of an evaluation, for examples that are dealt into shards: two sums over the examples
// of a shard, and what follows from the sums of all shards.

/// Sums over the examples: Σ Δ·μ of the point, and of feasible points made from it.
struct FirstSums {
  std::array<double, 4> losses = {};
  std::vector<DualPoints> points;  ///< the feasible points, if they are kept
};
/// Number of feasible points; with_globals: some example of some shard has global factors.
constexpr Index NumFeasible(bool with_globals) { return with_globals ? 3 : 2; }
/// *weights = the parts of Ψμ and then of the feasible points, num_weights numbers of each.
FirstSums SumPoints(const FactorBlocks& blocks, bool with_globals, bool keeps_points,
                    std::vector<double>* weights);
/// Adds a feasible point with these weights and this sum of losses to the mixture.
DualMixture::Change MixFeasible(std::span<const double> weights, double loss, Index num_examples,
                                DualMixture* mixture);

/// Sums over the examples at fixed weights.
struct PointSums {
  double hinge = 0;  ///< Σ_m (Σ_a max θ̂_a − w·φ(y^m))
  double gaps = 0;
  double violation_sq = 0;
  double eta_v = 0;
  double max_violation = 0;
  double smoothed = 0;  ///< with γ: Σ_a (smooth maximum − maximum)
  double squares = 0;   ///< with γ: Σ_a ‖μ_a‖²
  Offset edges = 0;

  void Merge(const PointSums& other);
};
PointSums SumAtPoint(const FactorBlocks& blocks, std::span<const double> weights, int threads);

/// What the figures of a point depend on besides the sums.
struct PenalizedPoint {
  double num_examples = 1;       ///< M
  double rho = 1;                ///< ρ
  double smoothing = 0;          ///< γ
  double loss = 0;               ///< (1/M) Σ Δ·μ
  double point_regulariser = 0;  ///< λ/2 ‖Ψμ‖²
  double regulariser = 0;        ///< of the weights of the sums
};
FactorEvaluation FiguresOf(const PointSums& sums, const PenalizedPoint& point);

/// Evaluates the current point. `weights` receives w = Ψμ rebuilt from scratch, or with a proximal
/// centre blocks.reached(). `mixture` receives feasible points μ', made from μ by repairing every
/// factor to marginals p of the variables (inference/local_polytope.h): one with p_i = μ_i, one
/// with p_i = the mean of μ_i and all A_ci μ_c, and where there are global factors one with their
/// p_i = A_ci μ_c (global_certificate.h). `points`, unless null, receives the same points. The
/// result does not depend on the number of threads. Cost: one thread repairs every example to
/// each of the feasible points, and computes inner products of num_weights numbers for the mixture;
/// `threads` threads share one sweep over the maxima of all parts. With one thread, a call takes as
/// long as one to five passes of `al`.
FactorEvaluation EvaluateFactorBlocks(const FactorBlocks& blocks, int threads,
                                      std::vector<double>* weights, DualMixture* mixture,
                                      MixedPoints* points = nullptr);

/// Coordinates of φ_m(μ'_m) at the second of these feasible points (p_i = the mean) of example m.
/// Returns Δ_m·μ'_m.
double FeasibleCoordinates(const FactorBlocks& blocks, Index m, std::vector<double>* coordinates);

}  // namespace slackline::internal
