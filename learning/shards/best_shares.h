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
// With an l1 term the weights are w = S(v), where v is what changes by d_p and S is the
// soft-thresholding operator. Then the dual rises by at least as much, since ½‖S(v)‖² has the
// gradient S(v), which changes by no more than v does: the bound of which proximal SDCA takes the
// best step (Shalev-Shwartz and Zhang 2012) in P dimensions. The dual still never falls.
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

/// Writes the best shares. Returns the gain of the dual, ≥ 0. By coordinate ascent from zero, up to
/// 1000 sweeps of P² operations.
double BestShares(const ShareProblem& problem, std::span<double> shares);

}  // namespace slackline::internal
