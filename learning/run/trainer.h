// SPDX-License-Identifier: BSD-3-Clause
//
// The training of one problem for one λ, or for several one after the other.
#pragma once

#include <atomic>
#include <string_view>

#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/run/fingerprint.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal {

class Trainer {
 public:
  virtual ~Trainer() = default;

  /// The problem with the present λ; null where training has no factor graphs.
  virtual const Problem* problem() const { return nullptr; }
  virtual double lambda() const = 0;
  virtual const LearnerChoice& choice() const = 0;
  /// What a saved state depends on. Takes a sweep over the data.
  virtual Fingerprint fingerprint() const = 0;
  /// The learner, made by the first call. Throws DataError when it does not apply to the problem.
  virtual Learner& learner() = 0;

  /// Instead of the first call of learner(): begins with the dual point of a state that was saved
  /// with another λ (FollowLambda). Returns false when the learner cannot.
  virtual bool Follow(std::string_view /*state*/, double /*state_lambda*/) { return false; }
  /// Goes on with another λ, from where the training has ended if the learner can (LambdaFollower),
  /// else with a new learner. Any λ may follow any other, or itself. Requires lambda > 0 and
  /// finite.
  virtual void MoveTo(double lambda) = 0;
  /// Trains until a stopping rule applies. observer and interrupt may be null.
  virtual TrainSummary Run(TrainObserver* observer, const std::atomic<int>* interrupt,
                           const CheckpointPlan& checkpoints) = 0;

  /// MoveTo, then Run without an observer.
  TrainSummary Train(double lambda, const std::atomic<int>* interrupt) {
    MoveTo(lambda);
    return Run(nullptr, interrupt, {});
  }
};

}  // namespace slackline::internal
