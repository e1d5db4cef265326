// SPDX-License-Identifier: BSD-3-Clause
#include <string>

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
  if (options.learner != LearnerKind::kBcfw && HasForbiddenStates(problem.data())) {
    throw DataError("learner " + std::string(Name(options.learner)) +
                    " steps on single factors, and forbidden states hold for whole labellings; use learner "
                    "bcfw, on graphs without cycles"
                    " and without global factors");
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
