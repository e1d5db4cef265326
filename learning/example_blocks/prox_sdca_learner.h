// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `prox-sdca`: proximal stochastic dual coordinate ascent with one block per example, an l1
// term and a smoothed hinge.
//
// Source: Shalev-Shwartz, Zhang, "Proximal stochastic dual coordinate ascent", 2012, figure 1 and
// the last procedure of section 3.3 (with the sign of D_i corrected: prox_loss.h). The generic
// algorithm is prox_sdca.h.
//
// The objective, with σ = --l1 and γ = --smoothing, both 0 by default (which gives the objective of
// problem.h; with --associative over weights of certain signs, sign_constraints.h):
//   P(w) = λ/2 ‖w‖² + σ ‖w‖₁ + (1/M) Σ_m max_μ [θ_m(w)·μ + (γ/2) Σ_i (1 − ‖μ_i‖²)]
//   D(μ) = (1/M) Σ_m [Δ_m·μ_m + (γ/2) Σ_i (1 − ‖μ_i‖²)] − λ/2 ‖w(μ)‖²,
//   w(μ)_k = sign(v_k) max(0, |v_k| − σ/λ),   v = Ψμ
// where i runs over the variables and μ over the oracle's domain.
// In the paper's form the regulariser is λ g(w) with g = ½‖w‖² + (σ/λ)‖w‖₁. The smoothed maximum is
// that of the quadratic that Meshi et al. (AISTATS 2015) name as their third extension, shifted so
// that it lies between the hinge and the hinge + γ/2 Σ_i (1 − 1/K_i). The reported objective is an
// upper bound on the one without smoothing. All reported figures are those of this P and D.
//
// Points, weights and steps are those of point_blocks.h, which has the table of symbols.
//
// The direction leads to the oracle's corner for θ − γμ (a Frank-Wolfe direction; the paper's
// subgradient for γ = 0) or, if γ > 0 and no example has factors, to the exact maximiser u = −∇φ,
// which is a projection onto a simplex for each variable.
//   step 1: line-searched steps on the example until its gap is a tenth of what it was, at most ten
//           (Option I to that precision)
//   step 2: the line search of the lower bound (with σ = 0 the dual itself: block-coordinate
//           Frank-Wolfe, plain_bcfw.h)
//   step 3: ‖X_i z‖² replaced by the square of the example's feature range (feature_bounds.h)
//   step 4: by the largest of all examples (examples without factors: by ‖X_i‖²‖z‖², as in the
//           paper)
//   step 5: s = λMγ/(R² + λMγ), for examples without factors
// With slack rescaling, a corner is Δ(s)·ψ(s), which lies in the hull of 0 = ψ(y) and B ψ(s), B the
// largest loss of the example: feature ranges are multiplied by B. There is no smoothing then,
// because the objective is no function of marginals.
// A step costs as much as one of bcfw; l1 adds a sweep over the weights that the step moves.
// Evaluations call the oracle for θ − γμ once per example. For any μ' the maximum is at most max_μ
// (θ − γμ')·μ + (γ/2) Σ_i (1 + ‖μ'_i‖²), so any oracle with certified bounds certifies P.
#pragma once

#include <memory>
#include <string>

#include <slackline/learning/example_blocks/point_blocks.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct ProxSdcaOptions {
  /// Which of the paper's step options I to V.
  Index sdca_step = 2;
  /// Whether the iterate after a random step is evaluated as well, and the better weights kept.
  bool random_output = false;
};

/// The terms of the objective and the step of these options.
PointBlocks::Terms TermsOf(const Problem& problem, const TrainOptions& options);
/// Σ_m Σ_i (1 − 1/K_i): γ/2 times it bounds the excess of the smoothed maxima.
double SmoothingRange(const Problem& problem);
/// Says for which objective bounds hold, if it is another one than without the options; else empty.
std::string ProxObjectiveNote(const TrainOptions& options);

/// Requires what MakeLearner checks (CheckOptions, support_table.h): step 5 with smoothing, and for
/// examples without factors. Throws DataError when the oracle does not apply.
std::unique_ptr<Learner> MakeProxSdcaLearner(const Problem& problem, const TrainOptions& options);

/// `prox-sdca`.
extern const LearnerRecord kProxSdcaLearner;

}  // namespace slackline::internal
