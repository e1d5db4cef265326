// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `excessive-gap`: Nesterov's excessive gap technique with entropy as the prox-function.
//
// Sources: Nesterov, "Excessive gap technique in nonsmooth convex minimization", SIAM J. Optim. 16
// (2005), for strongly convex objectives; Zhang, Saha, Vishwanathan, "Accelerated training of
// max-margin Markov networks with kernels", ALT 2011 (a row of Table 1 of Lacoste-Julien and
// others, ICML 2013). The derivation for the objective of this project is in docs/notation.md,
// section 11. Axes: blocks = all examples at once · oracle = sum-product · step = accelerated.
//
// With the relative entropy to the uniform distribution D(α) = (1/M) Σ_m Σ_y α log(α |Y_m|) and a
// temperature μ,
//   P_μ(w) = λ/2 ‖w‖² + max_α [(1/M) Σ_m H_m(α_m; w) − μ D(α)] ≤ P(w) ≤ P_μ(w) + μ mean log |Y_m|,
// and the iterates satisfy the excessive gap condition P_μ(w) ≤ f(α), so that the certified gap is
// at most μ mean log |Y_m|. An iteration, with β the maximiser in P_μ(w), a softmax at w and μ:
//   α̂ = (1−τ) α + τ β,   w⁺ = (1−τ) w + τ Ψα̂,   μ⁺ = (1−τ) μ,   α⁺ = (1−τ) α + τ β⁺,
// where β⁺ is the softmax at w⁺ and μ⁺, from one call of sum-product for every example.
//
//   symbol        here               shape
//   w             w_                 num_weights
//   α, Ψα         alpha_             dual_points.h, num_weights
//   β, Ψβ         beta_              the same
//   μ             temperature_
//   L             curvature_         τ² = (1−τ) μ/L
//
// The condition always holds if L is at least R² / λ, a bound on the curvature of f in the norm of
// D. Because this bound is pessimistic by orders of magnitude, L is found by trial: an iteration
// that violates the condition is repeated with 2 L, and after every other iteration L falls by 10
// %. (The convergence proof needs no more than the condition, whose terms every iteration
// computes.) Start: w = Ψβ for uniform β, and the smallest μ (of a doubling sequence) with P_μ(w) ≤
// f(α), α the softmax at w and μ. Cost of a trial: M calls of sum-product, two sweeps over the
// inputs. Memory: two dual points per example.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Throws DataError on graphs with cycles or global factors.
std::unique_ptr<Learner> MakeExcessiveGapLearner(const Problem& problem,
                                                 const TrainOptions& options);

extern const LearnerRecord kExcessiveGapLearner;

}  // namespace slackline::internal
