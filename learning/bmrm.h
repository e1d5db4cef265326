// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bmrm`: the bundle method for regularised risk minimisation, with planes taken by a line search.
//
// Sources: Teo, Vishwanathan, Smola, Le, "Bundle methods for regularized risk minimization", JMLR 11, 2010, Algorithm 1; Franc, Sonnenburg,
// "Optimized cutting plane algorithm for support vector machines", ICML 2008, for where planes are taken.
//
// A plane is taken at w_b + ((1 − μ) k + μ) (w_t − w_b), μ = 0.1, with w_b the best weights so far, w_t the minimum of the model, and k in
// [0, 1] the best point of the line between them. Deviation: for labellings there is no closed form of the objective along a line; k is
// the best point for the labellings of the kept planes, which takes no oracle calls. A plane that says nothing about w_t is followed
// by one at w_t, as the convergence of bundle methods asks for.
//
// With `--line-search off` planes are taken at w_t, which is BMRM itself. On this objective that is cutting-plane-1 without its cache, plane by
// plane: both minimise λ/2 ‖w‖² + max_k (b_k − w·a_k) with the same planes.
//
// Engine, symbols and costs: joint_planes.h; the line search costs two more sweeps over the inputs, and a pass over all kept labellings.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline {

std::unique_ptr<Learner> MakeBmrmLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline
