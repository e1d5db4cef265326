// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `fw`: Frank-Wolfe on all examples at once.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013, Algorithm 2, with line search or with the fixed steps of Algorithm 1
// (TrainOptions::fixed_step). A step of length γ is also a batch subgradient step of length γ/λ for
// the primal (section 4 of the paper). Axes: blocks = all examples at once · oracle = any MapSolver
// · step = Frank-Wolfe · order = none.
//
//   symbol        here                       shape
//   w, ℓ          iterate_                   num_weights + 1: ℓ, the mean loss, is the last entry
//   w_s, ℓ_s      target_                    the same
//   y*_i          corners_                   num_coordinates of each example's structure
//                                            (core/structure.h), one loss
//   α_i           points_                    the same; used by DualPoint and ChangeLambda, not by
//                                            steps
//
// The loop is shifted by half a pass: a pass steps towards the known corner and then calls the
// oracle for all examples at the new weights. The answers give the primal of these weights and the
// corner of the next pass. So the primal of every iterate is known, the best weights of all passes
// are kept (as in appendix F of the paper for its figures), and only averages need evaluations of
// their own. The first pass calls the oracle twice per example. Oracles run on
// TrainOptions::threads threads; sums are made in the order of the examples, so the result does not
// depend on the number of threads.
//
// With an inexact oracle in the passes (inexact_options.h) their bounds are loose. The primal is
// then that of the newest weights by the oracle of checks, as for averages.
//
// The dual bound is that of the newest point. This bound never falls with line search, but may fall
// with fixed steps. Cost of a pass: one oracle call, one evaluation of the score tables and one
// sweep over the input for every example, and O(d).
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Throws DataError when the oracle does not apply to one of the problem's structures.
std::unique_ptr<Learner> MakeFrankWolfeLearner(const Problem& problem, const TrainOptions& options);

/// `fw`.
extern const LearnerRecord kFrankWolfeLearner;

}  // namespace slackline::internal
