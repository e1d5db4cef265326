// SPDX-License-Identifier: BSD-3-Clause
//
// The records of the learners of this folder, and their own options. The head of each source has
// the formula, its paper and the deviations.
#pragma once

#include <memory>

#include <slackline/learning/learner_record.h>

namespace slackline::internal {

/// LearnerRecord::make of a class.
template <class T>
std::unique_ptr<Learner> MakeReference(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<T>(problem, options);
}

/// `dlpw` and `smooth-dlpw`.
struct DualLossOptions {
  /// η of the steps η/t on the weights; 0 = chosen by short trials.
  double step_size = 0;
};

/// `kernel-bcfw` and `kernel-fw`.
struct KernelLearnerOptions {
  /// Memory for kernel values, in units of 10^6 bytes.
  Index cache_mb = 256;
};

extern const LearnerRecord kExponentiatedGradientLearner, kExcessiveGapLearner,
    kExtragradientLearner, kSubgradientLearner, kFrankWolfeLearner, kKernelFrankWolfeLearner,
    kKernelBcfwLearner, kDlpwLearner, kSmoothDlpwLearner, kCuttingPlaneNLearner, kBundleLearner;

}  // namespace slackline::internal
