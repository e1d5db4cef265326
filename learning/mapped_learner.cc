// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/mapped_learner.h>

#include <slackline/learning/train_loop.h>

namespace slackline::internal {

void MappedLearner::Wrap(const Problem& mapped, const TrainOptions& options) {
  mapped_ = std::make_unique<Problem>(mapped);
  inner_ = MakeLearner(*mapped_, options);
  traits_ = inner_->traits();
  if (traits_.lambda != nullptr) traits_.lambda = this;
  if (traits_.companion != nullptr) traits_.companion = this;
}

}  // namespace slackline::internal
