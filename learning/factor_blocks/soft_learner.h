// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `soft` (soft.h) on an engine: FactorLearner, or the one of the shards
// (shards/sharded_factor_blocks.cc).
//
// With --proximal on, passes work on problems with a proximal centre, which then moves to their w
// (docs/notation.md, section 5b). Algorithm 1 of the paper has no centre.
#pragma once

#include <slackline/learning/factor_blocks/factor_pass.h>
#include <slackline/learning/factor_blocks/soft.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

template <class Engine>
class SoftLearner final : public Engine {
 public:
  SoftLearner(const Problem& problem, const TrainOptions& options)
      : Engine(problem, options, /*multipliers=*/false),
        penalty_(options, this->num_examples()),
        proximal_(options.proximal == Switch::kOn),
        kappa_(CentreStrength()) {
    this->traits_.stopping_gap = StoppingGap::kSoft;
    this->set_rho(penalty_.RhoAt(0));
    this->set_smoothing(options.smoothing);
  }

  void RunPass(const StopControl& stop) override {
    this->StepBlocks({.rho = penalty_.RhoAt(this->pass())}, stop);
    if (kappa_ > 0 && !stop.ShouldStop()) this->MoveCentre(kappa_);
    this->FinishPass();
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = Engine::Evaluate(threads);
    evaluation.provisional = penalty_.provisional(this->pass());
    return evaluation;
  }

  void ChangeLambda(const Problem& problem) override {
    Engine::ChangeLambda(problem);
    this->set_rho(penalty_.RhoAt(0));
    kappa_ = CentreStrength();
  }

 private:
  double CentreStrength() { return proximal_ ? this->StrengthOfCentre(SoftPenalty::kCentre) : 0; }

  SoftPenalty penalty_;
  bool proximal_;
  double kappa_;  // of the next centre; 0: there is none
};

}  // namespace slackline::internal
