// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `ssg`: stochastic subgradient steps on the primal.
//
// Source: Shalev-Shwartz, Singer, Srebro, Cotter, "Pegasos: primal estimated sub-gradient solver
// for SVM", Mathematical Programming 2011, with the steps 1/(λ(k+1)) that Lacoste-Julien, Jaggi,
// Schmidt, Pletscher compare with (ICML 2013, appendix F):
//     w_{k+1} = (1 − 1/(k+1)) w_k + ψ_i(y*) / (λ(k+1)).
// Axes: blocks = examples · oracle = any MapSolver · step = fixed · order = a fresh permutation
// each pass, or drawn with replacement.
//
//   symbol    here                  shape
//   k         steps_
//   λk·w_k    shrink_ · sum_        num_weights: the sum of all ψ so far, which a step changes
//                                   where ψ is not zero
//   μ_i       points_, … (below)    num_coordinates of the example's structure (core/structure.h)
//
// With SubgradientOptions::projection iterates are projected onto the ball ‖w‖² ≤ P(0)/λ. The ball
// contains the optimum, where λ/2‖w‖² + mean hinge = ℓ − λ/2‖w‖² with ℓ ≤ P(0) and a hinge ≥ 0.
// (Pegasos, section 2.2, for losses of at most 1.) shrink_ is the product of the factors of these
// projections.
//
// The dual bound: the subgradient method knows no dual, but its iterates are
//     w_k = Ψμ with μ_i = (M/k) Σ_{steps t at example i} (factors of later projections) · corner_t,
// since the first step forgets w_0. After whole passes in permuted order without projections every
// example has had k/M steps: μ_i is the mean of its corners, a feasible dual point. In general
// example i has mass a_i = (M/k) Σ_t (factors) instead of 1. Missing mass belongs to the ground
// truth, which adds nothing to w or to the loss; if the largest a exceeds 1, all points are
// multiplied by θ = 1/max a. So f(θμ) is a lower bound for any order and any projections; θ is
// lowered further if that makes f larger (BestShare). The losses of the points are kept as well, so
// the bound takes no extra work. The bound is that of the newest point, and need not rise from
// check to check.
//
// Averages (TrainOptions::average) are of the primal iterates; their bound is the newest point's.
// Cost of a step, as for bcfw without line search: one oracle call, one evaluation of the score
// tables, one sweep over the input.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct SubgradientOptions {
  /// Whether iterates are projected onto the ball that the optimum lies in.
  bool projection = false;
};

/// Throws DataError when the oracle does not apply to one of the problem's structures.
std::unique_ptr<Learner> MakeSubgradientLearner(const Problem& problem,
                                                const TrainOptions& options);

/// `ssg`.
extern const LearnerRecord kSubgradientLearner;

}  // namespace slackline::internal
