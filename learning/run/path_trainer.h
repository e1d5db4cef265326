// SPDX-License-Identifier: BSD-3-Clause
//
// Trains one problem for one λ after the other (lambda_path.h), in memory and without checkpoints.
#pragma once

#include <atomic>
#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

class PathTrainer {
 public:
  /// problem: with the first λ, by which `auto` chooses the learner. options: of every training;
  /// their λ is not used. Throws DataError when the learner does not apply to the problem.
  PathTrainer(Problem problem, const TrainOptions& options);

  /// Trains to one of the stopping rules, from where the λ before ended; any λ may follow any
  /// other, also itself. Requires lambda > 0 and finite. `interrupt` may be null.
  TrainSummary Train(double lambda, const std::atomic<int>* interrupt);

 private:
  TrainOptions options_;
  std::unique_ptr<Problem> problem_;  // learners keep its address
  std::unique_ptr<Learner> learner_;
};

}  // namespace slackline::internal
