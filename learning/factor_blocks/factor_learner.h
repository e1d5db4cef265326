// SPDX-License-Identifier: BSD-3-Clause
//
// Base class of the learners on factor blocks: the engine, the orders, and the evaluation of the
// point.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/factor_blocks/factor_certificate.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

/// Options of the learners that penalise disagreement, `al` and `soft`.
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
     .text = "scale of ρ: per example, or ρ/M as in equation (5) of the paper",
     .default_text = "example",
     .field = Field<&PenaltyOptions::rho_scale>,
     .needs = "rho",
     .needed_for = "al"}};

/// The evaluation that follows from the figures of a point. dual: the certified one.
Evaluation EvaluationOf(const FactorEvaluation& point, CertifiedProblem problem, double dual,
                        double rho);

class FactorLearner : public Learner,
                      public DualPointSource,
                      public LambdaFollower,
                      public CheckAdvisor {
 public:
  FactorLearner(const Problem& problem, const TrainOptions& options, bool multipliers);

  /// Primal and certificate of the relaxed problem, and the figures of the penalized problem.
  /// Derived classes add their own figures.
  Evaluation Evaluate(int threads) override;
  WorkCounts work() const override { return {0, blocks_.block_steps()}; }
  /// A check takes as long as one to five passes (EvaluateFactorBlocks), and is cheap when it comes
  /// after so many.
  static constexpr Index kPassesPerCheck = 4;
  bool CheckIsCheap() const override { return pass_ - checked_at_ >= kPassesPerCheck; }
  /// Passes after which w is rebuilt, because steps accumulate rounding errors in w.
  static constexpr Index kRebuildEvery = 64;

  void KeepDualPoint() override { keeps_points_ = true; }
  /// The best bound belongs to a mixture of the points of several checks. That mixture is known
  /// only if the points of all checks were kept.
  bool DualPointIsBest() const override { return !points_.empty() && !evaluations_unkept_; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;

  void Archive(StateArchive* archive) override;
  /// Keeps μ and η. Drops the points of the certificate, which belong to the previous λ.
  void ChangeLambda(const Problem& problem) override;

 protected:
  /// Calls visit(m) for every example in a fresh random order.
  template <class Visit>
  void VisitExamples(const StopControl& stop, const Visit& visit) {
    const std::span<const Index> order = visits_.Permutation();
    for (std::size_t k = 0; k < order.size(); ++k) {
      visits_.Before(order, k);
      visit(order[k]);
      if (stop.ShouldStop()) break;
    }
  }

  /// Visits every example once: all of its blocks, or with shrinking only the active ones in the
  /// passes that ShrinkSchedule chooses.
  void VisitAll(const StopControl& stop, double eta_step);

  /// Draws blocks with replacement, as many as there are in total, and calls step(block) for each.
  template <class Step>
  void StepUniformBlocks(const StopControl& stop, const Step& step) {
    for (Offset k = 0; k < uniform_.count(); ++k) {
      step(uniform_.Next(&visits_.random()));
      // A single block step takes less time than reading the clock.
      if (k % 1024 == 0 && stop.ShouldStop()) break;
    }
  }

  /// To be called at the end of every pass. Counts the pass, and in every 64th rebuilds w to remove
  /// rounding errors.
  void FinishPass();

  const Problem& problem() const { return blocks_.problem(); }
  Index pass() const { return pass_; }  ///< passes done
  bool uniform_order() const { return uniform_order_; }
  FactorBlocks& blocks() { return blocks_; }

 private:
  CertifiedProblem certified_;  // kExact without factors: then the relaxation is exact
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
  bool evaluations_unkept_ = false;  // the mixture contains points that were not kept
  MixedPoints points_;
};

}  // namespace slackline::internal
