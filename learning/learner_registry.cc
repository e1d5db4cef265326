// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/check.h>
#include <slackline/learning/augmented_lagrangian.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/corner_learner.h>
#include <slackline/learning/soft.h>
#include <slackline/learning/train_loop.h>

namespace slackline {

std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& given) {
  const TrainOptions options = ChooseLearner(problem, given).options;
  CheckOptions(options);
  if (options.learner == LearnerKind::kBcfw && HasGlobalFactors(problem.data())) {
    throw DataError(
        "learner bcfw needs oracles over whole examples, which there are not for structures with global "
        "factors; "
        "use learner al or soft");
  }
  switch (options.learner) {
    case LearnerKind::kAugmentedLagrangian:
      return MakeAugmentedLagrangianLearner(problem, options);
    case LearnerKind::kSoft:
      return MakeSoftLearner(problem, options);
    case LearnerKind::kBcfw:
      if (options.step != StepKind::kFrankWolfe) return MakeCornerLearner(problem, options);
      return MakeBcfwLearner(problem, options);
    case LearnerKind::kAuto:
      break;
  }
  return nullptr;
}

}  // namespace slackline
