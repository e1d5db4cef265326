// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `fw`: Frank-Wolfe on all examples at once.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013, Algorithm 2, with line search or with the fixed steps of Algorithm 1
// (TrainOptions::fixed_step). With any steps it is also a batch subgradient method for the primal
// (section 4 there): one of length γ/λ. Axes: blocks = all examples at once · oracle = any
// MapSolver · step = Frank-Wolfe · order = none.
//
//   symbol        here                       shape
//   w, ℓ          iterate_                   num_weights + 1: ℓ, the mean loss, is the last entry
//   w_s, ℓ_s      target_                    the same
//   y*_i          corners_                   num_coordinates of each example's structure
//                                            (core/structure.h), one loss
//   α_i           points_                    the same: only for DualPoint and ChangeLambda, steps
//                                            do not look at them
//
// The loop is turned by half a round: a pass steps towards the corner that is known, and then asks
// all oracles at the new weights. Their answers are the primal of these weights and the next pass's
// corner. So the primal of every iterate is known, the best weights of all passes are kept (as
// appendix F there does for its figures), and evaluations cost nothing but those of averages. The
// first pass asks twice. Oracles run on TrainOptions::threads threads; sums are made in the order
// of the examples, so the result does not depend on their number.
//
// The dual bound is that of the newest point. With line search it never falls; with fixed steps it
// may. Cost of a pass: one oracle call, one evaluation of the score tables and one sweep over the
// input for every example, and O(d).
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
