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
//   w             weights_      num_weights
//   w_i           points_       num_coordinates of the example's structure (core/structure.h),
//                               never a copy of w
//   ℓ_i (times n) points_       one number per example
//   w_s, ℓ_s      corner        as w_i, ℓ_i
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
