// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/cutting_plane_1.h>

#include <slackline/learning/joint_planes.h>

namespace slackline {

std::unique_ptr<Learner> MakeCuttingPlane1Learner(const Problem& problem, const TrainOptions& options) {
  JointPlaneRules rules;
  rules.name = "cutting-plane-1";
  rules.cache = options.constraint_cache != Switch::kOff;
  return MakeJointPlaneLearner(problem, options, rules);
}

}  // namespace slackline
