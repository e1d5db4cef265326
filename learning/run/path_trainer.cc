// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/path_trainer.h>

#include <utility>

#include <slackline/learning/run/warm_start.h>

namespace slackline::internal {

PathTrainer::PathTrainer(const Problem& problem, const TrainOptions& options,
                         double preparation_limit_seconds,
                         const std::atomic<int>* preparation_interrupt)
    : relay_(preparation_limit_seconds, preparation_interrupt),
      options_(options),
      problem_(std::make_unique<Problem>(problem)) {
  Choose();
}

void PathTrainer::Choose() {
  options_.lambda = problem_->lambda();
  choice_ = ChooseLearner(*problem_, options_);
  choice_.options.stop = &relay_;
}

Learner& PathTrainer::learner() {
  if (learner_ == nullptr) learner_ = MakeLearner(*problem_, choice_.options);
  return *learner_;
}

bool PathTrainer::Follow(std::string_view state, double state_lambda) {
  learner_ = FollowLambda(*problem_, choice_.options, state, state_lambda);
  return learner_ != nullptr;
}

void PathTrainer::MoveTo(double lambda) {
  if (lambda == problem_->lambda()) return;
  auto next = std::make_unique<Problem>(problem_->WithLambda(lambda));
  LambdaFollower* const follower = learner_ == nullptr ? nullptr : learner_->traits().lambda;
  if (follower != nullptr) follower->ChangeLambda(*next);
  problem_.swap(next);  // the learner keeps the old problem until it is replaced
  Choose();
  if (follower == nullptr) learner_.reset();
}

TrainSummary PathTrainer::Run(TrainObserver* observer, const std::atomic<int>* interrupt,
                              const CheckpointPlan& checkpoints) {
  return RunTraining(*problem_, learner(), choice_.options, observer, interrupt, checkpoints);
}

}  // namespace slackline::internal
