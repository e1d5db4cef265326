// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `cutting-plane-1`: cutting planes with one slack variable for the whole training set.
//
// Source: Joachims, Finley, Yu, "Cutting-plane training of structural SVMs", Machine Learning 77, 2009: Algorithm 3 (margin rescaling) and
// Algorithm 4 (slack rescaling), with the constraint cache of section 5. Pruning as in their program: planes without weight for many rounds go.
// Without the cache the passes are those of fully corrective batch Frank-Wolfe (Lacoste-Julien et al., ICML 2013, section 4), and of `bmrm`
// without its line search.
//
// Engine, symbols and costs: joint_planes.h. Slack rescaling: slack_oracle.h.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline {

std::unique_ptr<Learner> MakeCuttingPlane1Learner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline
