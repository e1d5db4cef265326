// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `cutting-plane-1`: cutting planes with one slack variable for the whole training set. A
// pass makes one plane from the oracle's answers for all examples at some weights, and solves the
// quadratic program over all planes; planes of cached labellings precede it.
//
// Source: Joachims, Finley, Yu, "Cutting-plane training of structural SVMs", Machine Learning 77,
// 2009: Algorithm 3 (margin rescaling) and Algorithm 4 (slack rescaling, slack_oracle.h), with the
// constraint cache of section 5. As in the authors' program, planes without weight for many rounds
// are dropped. Without the cache the passes are those of fully corrective batch Frank-Wolfe
// (Lacoste-Julien et al., ICML 2013, section 4).
//
// Axes: blocks = all examples at once · oracle = any, over examples · step = fully corrective over
// all planes · order = none: the result does not depend on the seed.
//
//   symbol                   here        shape
//   w of the program's end   planes_     num_weights
//   best w so far            best_       num_weights; best by the risk at the oracle's corners
//   a_k, b_k, α_k            planes_     plane_bundle.h
//   s_m^k                    kept_       plane_labellings.h
//
// Certificate. Primal: bounds of the oracle at the best weights at which a plane was taken. Dual:
// value of the program's point, which is the value of the dual point Σ_k α_k s_m^k of every
// example, feasible by construction. Cost of a pass: M oracle calls, two sweeps over the inputs, an
// inner product with every plane, and the program. A plane of cached labellings costs the same
// without the oracle calls. Memory: num_weights numbers per plane where its features are dense.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/learning/example_blocks/example_block_learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/planes/plane_bundle.h>
#include <slackline/learning/planes/plane_labellings.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// Options of `cutting-plane-1`.
struct CuttingPlane1Options {
  /// Whether planes of cached labellings are added, while they are violated enough, before the
  /// oracle is called.
  Switch constraint_cache = Switch::kAuto;
};

/// A learner on planes that can continue from the active sets of another learner. Other learners on
/// planes derive from it and take their planes elsewhere (reference/bundle.cc).
class JointPlaneLearner : public ExampleBlockLearner, public CheckAdvisor, public CheckListener {
 public:
  /// Throws DataError when the oracle of the options, or slack rescaling, does not apply.
  JointPlaneLearner(const Problem& problem, const TrainOptions& options);

  /// Adds the labellings in the active sets of another learner of the same problem, and makes their
  /// plane at its weights. gap ≥ 0: an estimate of the gap, which stands for the violation of the
  /// oracle's last plane when the next pass decides whether planes of cached labellings are worth
  /// adding.
  void TakeOver(std::span<const ActiveSet> sets, std::span<const double> weights, double gap);
  /// The largest lower bound so far.
  double dual() const { return planes_.value(); }
  /// Makes the next pass add no more planes of cached labellings once it has touched `entries`
  /// array entries.
  void LimitPass(std::int64_t entries) { most_work_ = entries; }

  void RunPass(const StopControl& stop) override;
  Evaluation Evaluate(int threads) override;
  /// Raises the risk at the best weights, which an oracle that stops early may have underestimated.
  std::string Adapt(const Evaluation& evaluation) override;
  double GapEstimate() const override { return BestObjective() - planes_.value(); }
  WorkCounts work() const override {
    return {kept_.oracle_calls(), rounds_, kept_.work() + planes_.work()};
  }
  bool DualPointIsBest() const override { return true; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;
  void Archive(StateArchive* archive) override;
  void ChangeLambda(const Problem& problem) override;

 protected:
  double BestObjective() const { return best_risk_ + Regulariser(problem_.lambda(), best_); }
  /// Takes the oracle's plane at point_, which becomes best_ where the plane shows a smaller
  /// objective. Returns the plane's violation at the newest weights: its value less that of the
  /// model.
  double TakePlane(const StopControl& stop);
  /// Adds the plane and solves the program to this gap.
  void AddPlane(double tolerance);
  /// The gap for planes of the oracle.
  double Tolerance() const;

  PlaneLabellings kept_;
  PlaneBundle planes_;
  std::vector<double> best_;
  std::vector<double> point_;  // where the next plane is taken

 private:
  void CachedRounds(const StopControl& stop);

  static constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();

  bool cache_;  // whether planes of cached labellings precede that of the oracle
  double at_zero_;
  NewPlane plane_;
  double best_risk_;              // estimate of (1/M) Σ max H_m at best_ from planes and checks
  double violation_ = kInfinity;  // of the oracle's last plane (TakePlane)
  std::int64_t rounds_ = 0;       // planes added
  std::int64_t most_work_ = kNoLimit;  // limit on planes of cached labellings in the next pass
};

extern const LearnerRecord kCuttingPlane1Learner;

}  // namespace slackline::internal
