// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/path_trial.h>

namespace slackline::internal {

TrialResult PathTrial::Run(double lambda, const std::atomic<int>* interrupt) {
  if (!trainer_) trainer_.emplace(problem_->WithLambda(lambda), options_);
  const TrainSummary summary = trainer_->Train(lambda, interrupt);
  TrialResult result{{}, summary.last, summary.termination};
  if (summary.termination != Termination::kInterrupted) result.figures = Figures(summary.weights);
  return result;
}

}  // namespace slackline::internal
