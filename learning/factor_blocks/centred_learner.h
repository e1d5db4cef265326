// SPDX-License-Identifier: BSD-3-Clause
//
// What the learners on factor blocks (soft_learner.h, lagrangian_learner.h) have in common on an
// engine, FactorLearner or the one of the shards: a proximal centre of fixed strength that moves
// to the newest weights after every pass (docs/notation.md, section 5b).
#pragma once

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

template <class Engine>
class CentredLearner : public Engine {
 public:
  void ChangeLambda(const Problem& problem) override {
    Engine::ChangeLambda(problem);
    kappa_ = CentreStrength();
  }

 protected:
  /// most: of κ/λ; 0: there is no centre.
  CentredLearner(const Problem& problem, const TrainOptions& options, bool multipliers, double most)
      : Engine(problem, options, multipliers), most_(most), kappa_(CentreStrength()) {}

  /// To be called at the end of every pass.
  void EndPass(const StopControl& stop) {
    if (kappa_ > 0 && !stop.ShouldStop()) this->MoveCentre(kappa_);
    this->FinishPass();
  }

 private:
  double CentreStrength() { return most_ > 0 ? this->StrengthOfCentre(most_) : 0; }

  double most_;
  double kappa_;  // of the next centre; 0: there is none
};

}  // namespace slackline::internal
