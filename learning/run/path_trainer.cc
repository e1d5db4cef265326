// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/path_trainer.h>

#include <utility>

#include <slackline/learning/train_loop.h>

namespace slackline::internal {

PathTrainer::PathTrainer(Problem problem, const TrainOptions& options)
    : options_(options), problem_(std::make_unique<Problem>(std::move(problem))) {
  options_.stop = &relay_;
  learner_ = MakeLearner(*problem_, options_);
}

TrainSummary PathTrainer::Train(double lambda, const std::atomic<int>* interrupt) {
  if (lambda != problem_->lambda()) {
    auto next = std::make_unique<Problem>(problem_->WithLambda(lambda));
    LambdaFollower* const follower = learner_->traits().lambda;
    if (follower != nullptr) follower->ChangeLambda(*next);
    problem_.swap(next);  // learners keep the address of the old problem until they are replaced
    options_.lambda = lambda;
    if (follower == nullptr) learner_ = MakeLearner(*problem_, options_);
  }
  return RunTraining(*problem_, *learner_, options_, nullptr, interrupt);
}

}  // namespace slackline::internal
