// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `al` (augmented_lagrangian.h) on an engine: FactorLearner, or the one of the shards
// (shards/sharded_factor_blocks.cc).
#pragma once

#include <string>

#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/centred_learner.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

template <class Engine>
class LagrangianLearner final : public CentredLearner<Engine>, public CheckListener {
 public:
  LagrangianLearner(const Problem& problem, const TrainOptions& options)
      : CentredLearner<Engine>(problem, options, /*multipliers=*/true,
                               options.proximal != Switch::kOff ? LagrangianControl::kCentre : 0),
        control_(options, this->penalty_scale(), this->num_examples()) {
    this->traits_.listener = this;
  }

  void RunPass(const StopControl& stop) override {
    const PenaltySettings& settings = control_.settings();
    const bool updates =
        this->uniform_order() || (this->pass() + 1) % settings.visits_per_update == 0;
    this->StepBlocks({.rho = settings.rho,
                      .eta_step = updates ? settings.tau / settings.rho : 0,
                      .visits_per_update = settings.visits_per_update},
                     stop);
    this->EndPass(stop);
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = Engine::Evaluate(threads);
    evaluation.tau = control_.settings().tau;
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    return control_.Adapt(this->pass(), evaluation);
  }

  void ChangeLambda(const Problem& problem) override {
    CentredLearner<Engine>::ChangeLambda(problem);
    control_.ChangeScale(this->penalty_scale());
  }

 private:
  void ArchiveControl(StateArchive* archive) override { control_.Archive(archive); }

  LagrangianControl control_;
};

}  // namespace slackline::internal
