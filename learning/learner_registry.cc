// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <slackline/core/check.h>
#include <slackline/learning/augmented_lagrangian.h>
#include <slackline/learning/batch_frank_wolfe.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/corner_learner.h>
#include <slackline/learning/cutting_plane_n.h>
#include <slackline/learning/dual_loss.h>
#include <slackline/learning/excessive_gap.h>
#include <slackline/learning/exponentiated_gradient.h>
#include <slackline/learning/extragradient.h>
#include <slackline/learning/joint_planes.h>
#include <slackline/learning/kernel_bcfw.h>
#include <slackline/learning/kernel_map.h>
#include <slackline/learning/marginal_learner.h>
#include <slackline/learning/multi_sample_learner.h>
#include <slackline/learning/prox_sdca_learner.h>
#include <slackline/learning/soft.h>
#include <slackline/learning/subgradient.h>
#include <slackline/learning/train_loop.h>

namespace slackline {

std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& given) {
  const TrainOptions options = ChooseLearner(problem, given).options;
  CheckOptions(options);
  if (UsesOracle(options.learner) && !HasExampleOracles(problem.data())) {
    throw DataError("learner " + std::string(Name(options.learner)) +
                    " needs oracles over whole examples, which there are not where global factors share "
                    "variables or stand beside factors with tables; use learner al or soft");
  }
  if (!UsesOracle(options.learner) && !UsesMarginals(options.learner) && HasForbiddenStates(problem.data())) {
    throw DataError("learner " + std::string(Name(options.learner)) +
                    " steps on single factors, and forbidden states hold for whole labellings; use learner "
                    "bcfw, on graphs without cycles"
                    " and without global factors");
  }
  if (UsesKernel(options) && HasGlobalFactors(problem.data()))
    throw DataError("kernels do not go with global factors, whose features are not inputs");
  if (UsesKernel(options) && (For(options.learner) & kForKernels) == 0)
    return MakeKernelMapLearner(problem, options);
  switch (options.learner) {
    case LearnerKind::kAugmentedLagrangian:
      return MakeAugmentedLagrangianLearner(problem, options);
    case LearnerKind::kSoft:
      return MakeSoftLearner(problem, options);
    case LearnerKind::kBcfw:
      if (options.step != StepKind::kFrankWolfe) return MakeCornerLearner(problem, options);
      return MakeBcfwLearner(problem, options);
    case LearnerKind::kFrankWolfe:
      return MakeFrankWolfeLearner(problem, options);
    case LearnerKind::kSubgradient:
      return MakeSubgradientLearner(problem, options);
    case LearnerKind::kCuttingPlaneN:
      return MakeCuttingPlaneNLearner(problem, options);
    case LearnerKind::kCuttingPlane1:
    case LearnerKind::kBundle:
      return MakeJointPlaneLearner(problem, options);
    case LearnerKind::kDlpw:
    case LearnerKind::kSmoothDlpw:
      return MakeDualLossLearner(problem, options);
    case LearnerKind::kExponentiatedGradient:
      return MakeExponentiatedGradientLearner(problem, options);
    case LearnerKind::kExcessiveGap:
      return MakeExcessiveGapLearner(problem, options);
    case LearnerKind::kExtragradient:
      return MakeExtragradientLearner(problem, options);
    case LearnerKind::kProxSdca:
      return MakeProxSdcaLearner(problem, options);
    case LearnerKind::kMultiSample:
      return MakeMultiSampleLearner(problem, options);
    case LearnerKind::kKernelFrankWolfe:
    case LearnerKind::kKernelBcfw:
      return MakeKernelLearner(problem, options);
    case LearnerKind::kAuto:
      break;
  }
  return nullptr;
}

}  // namespace slackline
