// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `soft` (soft.h) on an engine: FactorLearner, or the one of the shards
// (shards/sharded_factor_blocks.cc).
//
// With --proximal on, passes work on problems with a proximal centre, which then moves to their w
// (docs/notation.md, section 5b). Algorithm 1 of the paper has no centre.
#pragma once

#include <slackline/learning/factor_blocks/centred_learner.h>
#include <slackline/learning/factor_blocks/soft.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

template <class Engine>
class SoftLearner final : public CentredLearner<Engine> {
 public:
  SoftLearner(const Problem& problem, const TrainOptions& options)
      : CentredLearner<Engine>(problem, options, /*multipliers=*/false,
                               options.proximal == Switch::kOn ? SoftPenalty::kCentre : 0),
        penalty_(options, this->num_examples()) {
    this->traits_.stopping_gap = StoppingGap::kSoft;
    this->set_rho(penalty_.RhoAt(0));
    this->set_smoothing(options.smoothing);
  }

  void RunPass(const StopControl& stop) override {
    this->StepBlocks({.rho = penalty_.RhoAt(this->pass())}, stop);
    this->EndPass(stop);
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = Engine::Evaluate(threads);
    evaluation.provisional = penalty_.provisional(this->pass());
    return evaluation;
  }

  void ChangeLambda(const Problem& problem) override {
    CentredLearner<Engine>::ChangeLambda(problem);
    this->set_rho(penalty_.RhoAt(0));
  }

 private:
  SoftPenalty penalty_;
};

}  // namespace slackline::internal
