// SPDX-License-Identifier: BSD-3-Clause
//
// Block steps on many pairs of binary variables at once: the hot loop of multi-label training.
//
// A pair factor c over binary i, j has the feature [y_i = y_j = 1] with a weight w of its own. All
// pairs of one example are independent of each other while the variables are fixed: each pair reads
// only its own weight, its own tables and the marginals of its two variables. Steps on all pairs at
// once are therefore the same as one step after the other. Arrays are stored as planes over the
// pairs, and the loops have no branches, so that they run in vector registers.
//
//   symbol         here                  meaning
//   μ_c(y)         mu[y], y = 2 y_i + y_j  four planes
//   η_ci, η_cj     eta[0], eta[1]        multiplier for state 1; state 0 has the negative (v sums
//                                        to zero over states)
//   μ_i(1), μ_j(1) p_first, p_second     gathered for the pairs
//   δ_ci(1)        η_ci + (A_ci μ_c − μ_i)(1)/ρ
//   θ̂_c            [a+b, a−b, b−a, w−a−b] with a = δ_ci(1), b = δ_cj(1), up to a constant
//   γ              smoothing: θ̂ − γμ_c stands for θ̂, and γ‖d‖² is added to q (docs/notation.md,
//                  section 3)
//   q              d(11)²/(λM) + (2/ρ)((A_ci d)(1)² + (A_cj d)(1)²), per-example scale
//                  (docs/notation.md, section 4, times M)
//
// Memory per pair: 32 bytes of μ and (al only) 16 bytes of η, which a visit reads and writes once.
// In addition a visit uses 8 bytes of weights and 16 bytes of gathered marginals per pair, which
// stay in the first-level cache. About 45 vector operations for four pairs on AVX2.
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// The pairs [0, count) of one example.
struct PairPlanes {
  Index count = 0;
  double* mu[4] = {};
  double* eta[2] = {};  ///< null without multipliers
  const double* p_first = nullptr;
  const double* p_second = nullptr;
  double* weights = nullptr;  ///< one per pair
};

struct PairScales {
  double inverse_rho = 1;       ///< 1/ρ
  double inverse_lambda_m = 1;  ///< 1/(λM)
  double eta_step = 0;          ///< τ/ρ: after the step η += eta_step·v; 0 = η unchanged
  double smoothing = 0;         ///< γ of a quadratic on every simplex (without multipliers only)
};

/// One pairwise step (docs/notation.md, section 4) on every pair; with eta planes, then a
/// multiplier update of length eta_step.
void PairPairwiseSteps(const PairPlanes& pairs, const PairScales& scales);
/// The same with Frank-Wolfe steps (Algorithm 1 of the AISTATS paper, lines 9–15).
void PairFrankWolfeSteps(const PairPlanes& pairs, const PairScales& scales);

/// Sums over the pairs at the current point.
struct PairSums {
  double maxima = 0;        ///< Σ max θ̂_c
  double gaps = 0;          ///< Σ (max θ̂_c − θ̂_c·μ_c), Frank-Wolfe gaps
  double violation_sq = 0;  ///< Σ ‖v_ci‖² over both ends and states
  double delta_v = 0;       ///< Σ δ_ci·v_ci
  double eta_v = 0;         ///< Σ η_ci·v_ci
  double max_violation = 0;
  /// With γ: Σ (smooth maximum − maximum). `gaps` are then those of the smoothed problem.
  double smoothed = 0;
  double squares = 0;  ///< with γ: Σ ‖μ_c‖²
};
PairSums EvaluatePairs(const PairPlanes& pairs, const PairScales& scales);

}  // namespace slackline::internal
