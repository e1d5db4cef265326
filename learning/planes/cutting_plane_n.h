// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `cutting-plane-n`: cutting planes with a slack variable per example.
//
// Source: Tsochantaridis, Joachims, Hofmann, Altun, "Large margin methods for structured and
// interdependent output variables", JMLR 6, 2005, Algorithm 1 with its variant (a): the most
// violated labelling is added to the active set (their working set) of every example. The dual over
// all active sets is solved again after every kBatch new labellings (100, as in the authors'
// program) and at the end of a pass. Axes: blocks = examples · oracle = any, over examples · step =
// pairwise, over active sets, to the optimum · order = a fresh permutation.
//
//   symbol      here      shape
//   w           blocks_   num_weights
//   S_m, α_m    blocks_   active set of example m and its weights (active_set_blocks.h)
//   H           none      inner products only of corners of the same example; those of different
//                         examples are computed through w
//
// The program over a product of M simplexes is solved by pairwise steps on one example after the
// other, until its gap is a tenth of the oracle's. A matrix of all inner products would be too
// large (800 MB for two thousand examples with five corners each). There is no constraint cache,
// because at the optimum of the program no labelling of an active set is violated.
//
// Certificate: as bcfw with active sets. Cost of a pass: M oracle calls and several rounds of the
// program, each of which costs about as much as a pass without its oracle calls.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

std::unique_ptr<Learner> MakeCuttingPlaneNLearner(const Problem& problem,
                                                  const TrainOptions& options);

extern const LearnerRecord kCuttingPlaneNLearner;

}  // namespace slackline::internal
