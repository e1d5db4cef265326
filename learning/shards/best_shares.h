// SPDX-License-Identifier: BSD-3-Clause
//
// The best common step of all shards. Shard p has changed the dual point by Δα_p and the weights by
// d_p. With shares η_p ∈ [0, 1] of these changes the dual rises by
//
//   Σ_p η_p s_p − ½ ηᵀHη,   s_p = b·Δα_p − (λ + κ) ⟨w, d_p⟩,   H_pq = (λ + κ) ⟨d_p, d_q⟩,
//
// exactly, since the dual is quadratic (w: the weights before the change; κ: the strength of the
// proximal centre, 0 without one). This is a line search in as many dimensions as there are shards:
// the dual never falls. Where hinges are smoothed, s_p and H_pp have the terms of ShardChange
// (shard.h) as well.
//
// With an l1 term the weights are w = S(v), where S is the soft-thresholding operator and d_p
// changes v. The formula is then a lower bound on the increase of the dual: the gradient S(v) of
// ½‖S(v)‖² changes by no more than v does. Proximal SDCA maximises this bound over one step length
// (Shalev-Shwartz and Zhang 2012), BestShares over P. The dual still never falls.
#pragma once

#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

struct ShareProblem {
  std::span<const double> slopes;           ///< s_p, P entries
  std::span<const double> products;         ///< ⟨d_p, d_q⟩ at p·P + q for p ≤ q; P² entries
  double strength = 1;                      ///< λ + κ
  std::span<const double> curvatures = {};  ///< of ShardChange, P entries; empty: 0
};

/// Writes the best shares and returns their gain of the dual, ≥ 0. Coordinate ascent from zero: up
/// to 1000 sweeps of P² operations.
double BestShares(const ShareProblem& problem, std::span<double> shares);

}  // namespace slackline::internal
