// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/augmented_lagrangian.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/soft.h>
#include <slackline/learning/train_loop.h>

namespace slackline {

std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& options) {
  switch (options.learner) {
    case LearnerKind::kAugmentedLagrangian:
      return MakeAugmentedLagrangianLearner(problem, options);
    case LearnerKind::kSoft:
      return MakeSoftLearner(problem, options);
    case LearnerKind::kBcfw:
      return MakeBcfwLearner(problem, options);
  }
  return nullptr;
}

}  // namespace slackline
