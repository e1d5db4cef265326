// SPDX-License-Identifier: BSD-3-Clause
//
// The trainer of problems on factor graphs.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include <slackline/learning/options.h>
#include <slackline/learning/run/trainer.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {

class PathTrainer final : public Trainer {
 public:
  /// Chooses a learner for the problem. options: for every training; their λ is not read. The last
  /// two: when the preparation of the learner ends early (StopRelay), which only the run of a
  /// trainer that makes no other may do.
  PathTrainer(const Problem& problem, const TrainOptions& options,
              double preparation_limit_seconds = 0,
              const std::atomic<int>* preparation_interrupt = nullptr);

  const Problem* problem() const override { return problem_.get(); }
  double lambda() const override { return problem_->lambda(); }
  const LearnerChoice& choice() const override { return choice_; }
  Fingerprint fingerprint() const override { return MakeFingerprint(*problem_, choice_.options); }
  Learner& learner() override;
  bool Follow(std::string_view state, double state_lambda) override;
  void MoveTo(double lambda) override;
  TrainSummary Run(TrainObserver* observer, const std::atomic<int>* interrupt,
                   const CheckpointPlan& checkpoints) override;

 private:
  void Choose();

  StopRelay relay_;
  TrainOptions options_;
  std::unique_ptr<Problem> problem_;  // learners keep its address
  LearnerChoice choice_;
  std::unique_ptr<Learner> learner_;
};

}  // namespace slackline::internal
