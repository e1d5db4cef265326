// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `cutting-plane-n`: cutting planes with a slack variable per example.
//
// Source: Tsochantaridis, Joachims, Hofmann, Altun, "Large margin methods for structured and
// interdependent output variables", JMLR 6, 2005, Algorithm 1 with its variant (a): the working set
// of every example gets the most violated labelling, and the dual over all working sets is solved
// again after every kBatch new labellings (their program: 100) and at the end of a pass. Axes:
// blocks = examples · oracle = any, over examples · step = pairwise, over active sets, to the
// optimum · order = a fresh permutation.
//
//   symbol      here      shape
//   w           blocks_   num_weights
//   S_m, α_m    blocks_   active set of example m and their weights (active_set_blocks.h)
//   H           never formed: inner products of the corners of one example are kept, others go by
//               way of w
//
// The program over a product of M simplexes is solved by pairwise steps on one example after the
// other, until its gap is a tenth of what the oracle found: there are too many corners for a matrix
// of inner products (two thousand examples with five corners each: 800 MB). There is no constraint
// cache: at the program's optimum no kept labelling is violated.
//
// Certificate: as bcfw with active sets. Cost of a pass: M oracle calls, and every round of the
// program about as much as a pass without them.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

std::unique_ptr<Learner> MakeCuttingPlaneNLearner(const Problem& problem,
                                                  const TrainOptions& options);

/// `cutting-plane-n`.
extern const LearnerRecord kCuttingPlaneNLearner;

}  // namespace slackline::internal
