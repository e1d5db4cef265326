// SPDX-License-Identifier: BSD-3-Clause
//
// Forbidden states for learners that need every state: they train without the states that no
// labelling can use (LeaveOutForbidden, core/derived_structure.h). Weights and coordinates stay the
// same. Only where forbidden joint states remain, as those of a pair that rules out some of the
// combinations of states that both its variables have, do these learners not apply.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The learner that the options name, on the problem without forbidden states. Requires
/// ForbidsJointStates of no structure, and no global factors. Throws as MakeLearner does.
std::unique_ptr<Learner> MakeReducedLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
