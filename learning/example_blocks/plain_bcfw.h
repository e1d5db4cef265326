// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bcfw`: block-coordinate Frank-Wolfe with one block per example.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013, Algorithm 4 with line search. Axes: blocks = examples · oracle = any
// MapSolver · step = Frank-Wolfe with line search · order = a fresh permutation each pass, or drawn
// with replacement as in the paper.
//
//   symbol        here          shape
//   w             blocks_.w()       num_weights
//   w_i           blocks_.points()  num_coordinates of the example's structure (core/structure.h),
//                                   never a copy of w
//   ℓ_i (times n) blocks_.points()  one number per example
//
// With --batch-start the first pass is a step of batch Frank-Wolfe, as the remark after the proof
// of their Theorem C.4 suggests: it leaves an error of at most the curvature constant, which single
// steps reach only after some passes where the start is far from the optimum.
//
// Lines 4 to 9 are PointBlocks::Step: gap·M = H_m(s; w) − H_m(point; w), with the point's w·ψ from
// the coordinates; q·M = ‖w_s − w_i‖² λM.
//
// With an oracle over the local polytope the certified problem is `relaxed`; with an exact one it
// is `exact`. Cost of a step: one oracle call, one evaluation of the score tables, one sweep over
// the input to move w.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

std::unique_ptr<Learner> MakePlainBcfwLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
