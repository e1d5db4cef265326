// SPDX-License-Identifier: BSD-3-Clause
//
// The engine of learners whose planes are of the whole training set: `cutting-plane-1` and `bmrm` (cutting_plane_1.h, bmrm.h). A pass is
// one plane by the oracle for all examples at some weights, and the quadratic program over all planes; what differs is where the plane is
// taken, and whether planes of kept labellings come before it.
//
// Axes: blocks = all examples at once · oracle = any, over examples · step = fully corrective over kept planes · order = none: the result does
// not depend on the seed.
//
//   symbol                   here        shape
//   w of the program's end   planes_     num_weights
//   best w so far            best_       num_weights, by the risk that the oracle's corners showed
//   a_k, b_k, α_k            planes_     plane_bundle.h
//   s_m^k                    kept_       kept_labellings.h
//
// Certificate: primal by bounds of the oracle at the best weights that a plane was taken at; dual = value of the program's point, which is
// that of the dual point Σ_k α_k s_m^k of every example: feasible by construction.
// Cost of a pass: M oracle calls, two sweeps over the inputs, an inner product with every plane, the program; every plane by kept labellings the
// same but for the oracle calls. Memory: a plane has as many numbers as there are weights where its features are dense.
#pragma once

#include <memory>
#include <string_view>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline {

struct JointPlaneRules {
  std::string_view name;
  bool cache = false;        ///< planes of kept labellings before those of the oracle
  bool line_search = false;  ///< planes between the best weights and the newest; else at the newest
};

/// Throws DataError when the oracle of the options, or slack rescaling, does not apply.
std::unique_ptr<Learner> MakeJointPlaneLearner(const Problem& problem, const TrainOptions& options,
                                               const JointPlaneRules& rules);

}  // namespace slackline
