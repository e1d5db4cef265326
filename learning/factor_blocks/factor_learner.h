// SPDX-License-Identifier: BSD-3-Clause
//
// What the learners on factor blocks have in common: the engine, the orders, and the evaluation of
// their point.
#pragma once

#include <vector>

#include <slackline/learning/factor_blocks/factor_certificate.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

/// Of the learners that penalise disagreement, `al` and `soft`.
struct PenaltyOptions {
  /// ρ of the penalty; 0 = chosen by the program (1 for soft; from the data for al).
  double rho = 0;
  /// Scale in which ρ (and SoftOptions::rho_final) is given: per example, or equation (5) of the
  /// AISTATS 2015 paper read literally, ρ/M.
  RhoScale rho_scale = RhoScale::kExample;
};
inline constexpr OptionRecord kPenaltyOptions[] = {
    {.name = "rho",
     .placeholder = "R",
     .text = "strength of the soft penalty: small = strict",
     .default_text = "soft: 1; al: from the data",
     .field = Field<&PenaltyOptions::rho>,
     .minimum = kSmallestStrength,
     .maximum = kLargestStrength,
     .positive = true},
    {.name = "rho-scale",
     .placeholder = "example|paper",
     .text = "scale of ρ: per example, or ρ/M as the paper's equation (5) is written",
     .default_text = "example",
     .field = Field<&PenaltyOptions::rho_scale>,
     .needs = "rho",
     .needed_for = "al"}};

class FactorLearner : public Learner,
                      public DualPointSource,
                      public LambdaFollower,
                      public CheckAdvisor {
 public:
  FactorLearner(const Problem& problem, const TrainOptions& options, bool multipliers);

  /// Primal and certificate of the relaxed problem, and the soft figures. Derived classes add what
  /// is theirs.
  Evaluation Evaluate(int threads) override;
  WorkCounts work() const override { return {0, blocks_.block_steps()}; }
  /// A check takes as long as one pass or two.
  bool CheckIsCheap() const override { return pass_ - checked_at_ >= 4; }

  void KeepDualPoint() override { keeps_points_ = true; }
  /// The bound is that of a mixture of several checks' points, which is known if all of them were
  /// kept.
  bool DualPointIsBest() const override { return !points_.empty() && !evaluations_unkept_; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;

  void Archive(StateArchive* archive) override;
  /// Keeps μ and η. The certificate's points are left behind: they belong to the old λ.
  void ChangeLambda(const Problem& problem) override;

 protected:
  /// Calls visit(m) for every example in a fresh random order.
  template <class Visit>
  void VisitExamples(const StopControl& stop, const Visit& visit) {
    for (const Index m : visits_.Permutation()) {
      visit(m);
      if (stop.ShouldStop()) break;
    }
  }

  /// Visits every example once: all of its blocks, or with shrinking only the active ones when it
  /// is time for that.
  void VisitAll(const StopControl& stop, double eta_step);

  /// Calls step(block) for as many blocks, drawn with replacement, as there are.
  template <class Step>
  void StepUniformBlocks(const StopControl& stop, const Step& step) {
    for (Offset k = 0; k < uniform_.count(); ++k) {
      step(uniform_.Next(&visits_.random()));
      // Single block steps are shorter than a look at the clock.
      if (k % 1024 == 0 && stop.ShouldStop()) break;
    }
  }

  /// To be called at the end of every pass: counts it, and now and then takes the rounding errors
  /// out of w.
  void FinishPass();

  const Problem& problem() const { return blocks_.problem(); }
  Index pass() const { return pass_; }  ///< passes done
  bool uniform_order() const { return uniform_order_; }
  FactorBlocks& blocks() { return blocks_; }

 private:
  CertifiedProblem certified_;  // the relaxation is exact where nothing joins variables
  bool uniform_order_;
  bool shrinks_;
  FactorBlocks blocks_;
  ShrinkSchedule shrinking_;
  DualMixture mixture_;
  ExampleVisits visits_;
  UniformBlocks uniform_;
  Index pass_ = 0;
  Index checked_at_ = 0;  // pass_ at the last evaluation
  bool keeps_points_ = false;
  bool evaluations_unkept_ = false;  // the mixture has points that were not kept
  MixedPoints points_;
};

}  // namespace slackline::internal
