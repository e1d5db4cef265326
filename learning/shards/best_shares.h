// SPDX-License-Identifier: BSD-3-Clause
//
// The best common step of all shards. Shard p has changed the dual point by Δα_p and the weights by
// d_p. With shares η_p ∈ [0, 1] of these changes the dual rises by
//
//   Σ_p η_p s_p − ½ ηᵀHη,   s_p = b·Δα_p − (λ + κ) ⟨w, d_p⟩,   H_pq = (λ + κ) ⟨d_p, d_q⟩,
//
// exactly, since the dual is quadratic (w: the weights before the change; κ: the strength of the
// proximal centre, 0 without one). This is a line search in as many dimensions as there are shards:
// the dual never falls.
#pragma once

#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

struct ShareProblem {
  std::span<const double> slopes;    ///< s_p, P entries
  std::span<const double> products;  ///< ⟨d_p, d_q⟩ at p·P + q for p ≤ q; P² entries
  double strength = 1;               ///< λ + κ
};

/// Writes the best shares. Returns the gain of the dual, ≥ 0. By coordinate ascent from zero, up to
/// 1000 sweeps of P² operations.
double BestShares(const ShareProblem& problem, std::span<double> shares);

}  // namespace slackline::internal
