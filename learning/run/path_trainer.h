// SPDX-License-Identifier: BSD-3-Clause
//
// Trains one problem for several λ one after the other (lambda_path.h), in memory and without
// checkpoints.
#pragma once

#include <atomic>
#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {

class PathTrainer {
 public:
  /// problem: with the first λ, which `auto` uses to choose the learner. options: for every
  /// training, except their λ. Throws DataError when the learner does not apply to the problem.
  PathTrainer(Problem problem, const TrainOptions& options);

  /// Trains until a stopping rule applies, from where the previous λ ended if the learner can
  /// (LambdaFollower), else from the beginning; any λ may follow any other, or itself. Requires
  /// lambda > 0 and finite. `interrupt` may be null.
  TrainSummary Train(double lambda, const std::atomic<int>* interrupt);

 private:
  StopRelay relay_;
  TrainOptions options_;
  std::unique_ptr<Problem> problem_;  // learners keep its address
  std::unique_ptr<Learner> learner_;
};

}  // namespace slackline::internal
