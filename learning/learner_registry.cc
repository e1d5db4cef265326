// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <slackline/core/check.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/example_blocks/active_set_learner.h>
#include <slackline/learning/example_blocks/batch_frank_wolfe.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/example_blocks/plain_bcfw.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/example_blocks/subgradient.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/dual_loss.h>
#include <slackline/learning/factor_blocks/soft.h>
#include <slackline/learning/kernels/kernel_bcfw.h>
#include <slackline/learning/kernels/kernel_map.h>
#include <slackline/learning/marginals/excessive_gap.h>
#include <slackline/learning/marginals/exponentiated_gradient.h>
#include <slackline/learning/marginals/extragradient.h>
#include <slackline/learning/marginals/marginal_learner.h>
#include <slackline/learning/planes/cutting_plane_n.h>
#include <slackline/learning/planes/joint_planes.h>
#include <slackline/learning/planes/race_learner.h>
#include <slackline/learning/support_table.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal {

std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& given) {
  SLACKLINE_CHECK(given.lambda == 0 || given.lambda == problem.lambda(),
                  "options.lambda is not that of the problem: use Problem::WithLambda, or Train");
  const TrainOptions options = ChooseLearner(problem, given).options;
  CheckOptions(options);
  const std::string fault = Unsupported(problem, options);
  if (!fault.empty()) throw DataError(fault);
  if (UsesKernel(options) && (For(options.learner) & kForKernels) == 0)
    return MakeKernelMapLearner(problem, options);
  switch (options.learner) {
    case LearnerKind::kAugmentedLagrangian:
      return MakeAugmentedLagrangianLearner(problem, options);
    case LearnerKind::kSoft:
      return MakeSoftLearner(problem, options);
    case LearnerKind::kBcfw:
      if (options.planes == PlaneRace::kOn) return MakeRaceLearner(problem, options);
      if (options.step != StepKind::kFrankWolfe) return MakeActiveSetLearner(problem, options);
      return MakePlainBcfwLearner(problem, options);
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

}  // namespace slackline::internal
