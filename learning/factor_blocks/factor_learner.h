// SPDX-License-Identifier: BSD-3-Clause
//
// Base class of the learners on factor blocks (soft_learner.h, lagrangian_learner.h): the engine,
// the orders, and the evaluation of the point.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/factor_blocks/factor_certificate.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/step/mixed_points.h>
#include <slackline/learning/step/proximal_control.h>
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

  void KeepDualPoint() override { keeping_.Begin(); }
  /// The best bound belongs to a mixture of the points of several checks. That mixture is known
  /// only if the points of all checks were kept.
  bool DualPointIsBest() const override { return !points_.empty() && keeping_.keeps(); }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;

  void Archive(StateArchive* archive) override;
  /// Keeps μ and η. Drops the points of the certificate, which belong to the previous λ.
  void ChangeLambda(const Problem& problem) override;

 protected:
  // What the learners call, here as in shards (shards/sharded_factor_blocks.cc).

  void set_rho(double rho) { blocks_.set_rho(rho); }
  void set_smoothing(double smoothing) { blocks_.set_smoothing(smoothing); }
  Index num_examples() const { return problem().size(); }
  double penalty_scale() const { return problem().penalty_scale(); }
  Index pass() const { return pass_; }  ///< passes done
  bool uniform_order() const { return uniform_order_; }

  /// Visits every example once: all of its blocks, or with shrinking only the active ones in the
  /// passes that ShrinkSchedule chooses. In the order `uniform` makes as many steps on drawn
  /// blocks.
  void StepBlocks(const FactorPass& pass, const StopControl& stop);
  /// κ of the first centre, at most this multiple of λ.
  double StrengthOfCentre(double most) { return FirstKappa(problem(), most); }
  /// Moves the proximal centre to the newest weights.
  void MoveCentre(double kappa) { blocks_.MoveCentre(kappa); }
  /// To be called at the end of every pass. Counts the pass, and in every 64th rebuilds w to remove
  /// rounding errors.
  void FinishPass();

  /// Archives what derived classes add.
  virtual void ArchiveControl(StateArchive* /*archive*/) {}

 private:
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
  void VisitAll(double eta_step, const StopControl& stop);
  void StepUniformly(const FactorPass& pass, const StopControl& stop);

  const Problem& problem() const { return blocks_.problem(); }

  CertifiedProblem certified_;  // kExact without factors: then the relaxation is exact
  bool uniform_order_;
  bool shrinks_;
  FactorBlocks blocks_;
  ShrinkSchedule shrinking_;
  DualMixture mixture_;
  ExampleVisits visits_;
  UniformBlocks uniform_;
  Index pass_ = 0;
  Index checked_at_ = 0;                    // pass_ at the last evaluation
  std::vector<Offset> steps_since_update_;  // per example, in the order `uniform`
  PointKeeping keeping_;
  MixedPoints points_;
};

}  // namespace slackline::internal
