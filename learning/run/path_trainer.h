// SPDX-License-Identifier: BSD-3-Clause
//
// Trains one problem for one λ, or for several one after the other (lambda_path.h): chooses the
// learner, makes it, and lets it continue from one λ to the next.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include <slackline/learning/choose_learner.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/stop_relay.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal {

class PathTrainer {
 public:
  /// Chooses a learner for the problem. options: for every training; their λ is not read. The last
  /// two: when the preparation of the learner ends early (StopRelay), which only the run of a
  /// trainer that makes no other may do.
  PathTrainer(const Problem& problem, const TrainOptions& options,
              double preparation_limit_seconds = 0,
              const std::atomic<int>* preparation_interrupt = nullptr);

  const Problem& problem() const { return *problem_; }  ///< with the present λ
  const LearnerChoice& choice() const { return choice_; }
  /// The learner, made by the first call. Throws what MakeLearner throws: DataError when it does not
  /// apply to the problem.
  Learner& learner();

  /// Instead of the first call of learner(): begins with the dual point of a state (FollowLambda).
  /// Returns false when the learner cannot continue with another λ.
  bool Follow(std::string_view state, double state_lambda);
  /// Goes on with another λ, from where the training has ended if the learner can (LambdaFollower),
  /// else with a new learner. Any λ may follow any other, or itself. Requires lambda > 0 and finite.
  void MoveTo(double lambda);
  /// Trains until a stopping rule applies. observer and interrupt may be null.
  TrainSummary Run(TrainObserver* observer, const std::atomic<int>* interrupt,
                   const CheckpointPlan& checkpoints = {});
  /// MoveTo, then Run without an observer.
  TrainSummary Train(double lambda, const std::atomic<int>* interrupt) {
    MoveTo(lambda);
    return Run(nullptr, interrupt);
  }

 private:
  void Choose();

  StopRelay relay_;
  TrainOptions options_;
  std::unique_ptr<Problem> problem_;  // learners keep its address
  LearnerChoice choice_;
  std::unique_ptr<Learner> learner_;
};

}  // namespace slackline::internal
