// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `eg`: online exponentiated gradient on the dual.
//
// Source: Collins, Globerson, Koo, Carreras, Bartlett, "Exponentiated gradient algorithms for
// conditional random fields and max-margin Markov networks", JMLR 9 (2008), the max-margin form;
// step sizes as in Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, appendix F. Axes: blocks =
// examples · oracle = sum-product (expectations) · step = multiplicative · order = a fresh
// permutation each pass, or drawn with replacement.
//
//   α_m(y) ← α_m(y) exp(η_m H_m(y; w)) / Z,      H_m(y; w) = Δ_m(y) − w·ψ_m(y) = M ∂f/∂α_m(y)
//
// so that log α_m(y) = c_m Δ_m(y) + v_m·q(y) + const, where c_m is the sum of all η_m, and v_m the
// sum of all η_m times the coordinate scores at w.
//
//   symbol        here               shape
//   w             weights_           num_weights
//   α_m           loss_scale_,       c_m: one number per example
//                 log_potentials_    v_m: num_coordinates of its structure. Start: 0, the uniform
//                                    distribution (docs/notation.md starts other learners at the
//                                    ground truth)
//   ψ_m(α_m), ℓ_m points_            dual_points.h
//   η_m           steps_             one per example; at first min(0.5, λM / ‖ψ_m(α_m)‖²), or the
//                                    option `initial-step`
//
// The sources always start with η_m = 0.5. Where features are long, the first steps are then so
// long that the distributions become corners, from which multiplicative steps take hundreds of
// passes to return (docs/notebook/learners.md). λM / ‖ψ‖² is the scale of steps that fits the
// curvature of f. A step is tried with η_m, which is halved until f does not fall: at most 2 times
// in the first pass, 5 times later; then η_m is multiplied by 1.05. If all trials fail, no step is
// made (the sources leave this case open), so that f never falls. The objective of the sources is M
// times f, which H_m above takes into account. Each trial costs one call of sum-product, which is
// counted as an oracle call. Cost of a trial: score tables, sum-product, one sweep for the norm of
// the step. An accepted step costs one more sweep to update w.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Throws DataError on graphs with cycles or global factors.
std::unique_ptr<Learner> MakeExponentiatedGradientLearner(const Problem& problem,
                                                          const TrainOptions& options);

struct ExponentiatedGradientOptions {
  /// η_m of all examples at the start, 0.5 in the sources; 0 = min(0.5, λM / ‖ψ_m(α_m)‖²).
  double initial_step = 0;
};

extern const LearnerRecord kExponentiatedGradientLearner;

}  // namespace slackline::internal
