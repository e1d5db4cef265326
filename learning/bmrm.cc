// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/bmrm.h>

#include <slackline/learning/joint_planes.h>

namespace slackline {

std::unique_ptr<Learner> MakeBmrmLearner(const Problem& problem, const TrainOptions& options) {
  JointPlaneRules rules;
  rules.name = "bmrm";
  rules.line_search = options.line_search != Switch::kOff;
  return MakeJointPlaneLearner(problem, options, rules);
}

}  // namespace slackline
