// SPDX-License-Identifier: BSD-3-Clause
//
// What some learners can do besides making passes and being evaluated. A learner derives from its
// traits and names them in its constructor (Learner::traits_).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

struct Evaluation;
class StopControl;

/// A learner with a dual point that can be read, for verification (verify.h) and for choosing
/// clusters.
class DualPointSource {
 public:
  virtual ~DualPointSource() = default;
  /// To be called before the run if DualPoint will be called. A learner whose newest point may be
  /// worse than an earlier one then keeps a copy of its best point.
  virtual void KeepDualPoint() {}
  /// The dual point of example m, as far as objectives see it: the coordinates of φ_m(μ_m) and the
  /// loss Δ_m·μ_m of a point μ_m of the domain. It is the newest point, or the best one evaluated
  /// since KeepDualPoint. Returns false when there is none.
  virtual bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const = 0;
  /// Whether DualPoint has the largest dual value of all evaluations of the run.
  virtual bool DualPointIsBest() const { return false; }
  /// Whether primals are values of the objective itself where the oracle is exact, and not only
  /// bounds on it.
  virtual bool PrimalIsObjective() const { return true; }
};

/// A learner that can continue with another λ, a step of a path over λ. Other learners begin anew
/// at each λ of a path.
class LambdaFollower {
 public:
  virtual ~LambdaFollower() = default;
  /// Continues from the current dual point; counts begin anew. `problem` must share the training
  /// set of the previous problem (Problem::WithLambda), which may be destroyed afterwards.
  virtual void ChangeLambda(const Problem& problem) = 0;
};

/// A learner that estimates its gap without an evaluation, so that the loop evaluates less often.
class CheckAdvisor {
 public:
  virtual ~CheckAdvisor() = default;
  /// An estimate of the certified gap, from by-products of the passes; NaN when there is none.
  /// The loop evaluates less often while the estimate is far above the wanted gap.
  virtual double GapEstimate() const { return kNone; }
  /// False while an evaluation would cost more than the passes since the last one. Decided by
  /// counted work, not by measured time, so that runs replay.
  virtual bool CheckIsCheap() const { return true; }
  /// Passes of this run that another method made before: checks are scheduled as if the run had
  /// begun after them.
  virtual Index PassesBefore() const { return 0; }
};

/// A learner that is shown every evaluation after which the run goes on, and may adapt to it.
class CheckListener {
 public:
  virtual ~CheckListener() = default;
  /// Its time counts as training. Returns a sentence when something changed that a user should
  /// know, else an empty string.
  virtual std::string Adapt(const Evaluation& evaluation) = 0;
};

/// A learner that can make the next pass on the calling thread while other threads evaluate.
class CheckCompanion {
 public:
  virtual ~CheckCompanion() = default;
  /// Whether this is possible at present: passes do not use the threads themselves, and a
  /// CheckListener would change nothing.
  virtual bool EvaluatesBesidePasses() const = 0;
  /// Does the same as Evaluate(threads) followed by RunPass(stop), bit for bit. *pass_seconds: the
  /// elapsed time of the pass.
  virtual Evaluation EvaluateBesidePass(int threads, const StopControl& stop,
                                        double* pass_seconds) = 0;
};

/// The magnitudes of an objective.
struct ObjectiveScales {
  /// The primal at w = 0: the mean over the examples of the largest loss. NaN: not known.
  double primal_at_zero = kNone;
  /// ScoreScale (problem.h): how far rounding may move bounds. 0: not known.
  double score_scale = 0;
  /// RelaxationExceedsZero (problem.h), of any rank.
  bool relaxation_exceeds_zero = false;
};
ObjectiveScales ScalesOf(const Problem& problem);

/// A learner whose objective is not that of its problem (smoothed, or with kernels).
class ScaleSource {
 public:
  virtual ~ScaleSource() = default;
  virtual ObjectiveScales Scales() const = 0;
};

/// The traits of a learner; null for those that it does not have. The pointers live as long as the
/// learner.
struct LearnerTraits {
  StoppingGap stopping_gap = StoppingGap::kCertified;
  DualPointSource* dual_point = nullptr;
  LambdaFollower* lambda = nullptr;
  CheckAdvisor* advisor = nullptr;
  CheckListener* listener = nullptr;
  CheckCompanion* companion = nullptr;
  ScaleSource* scales = nullptr;
};

}  // namespace slackline::internal
