// SPDX-License-Identifier: BSD-3-Clause
//
// What some learners can do besides making passes and being evaluated. A learner derives from the
// traits that it has and names them in its constructor (Learner::traits_).
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

/// Has a dual point that others may read: for verification (verify.h), for choosing clusters.
class DualPointSource {
 public:
  virtual ~DualPointSource() = default;
  /// To be called before the run if DualPoint will be asked for: a learner whose newest point need
  /// not be its best keeps a copy of that.
  virtual void KeepDualPoint() {}
  /// The dual point of example m, as far as objectives see it: the coordinates of φ_m(μ_m) and the
  /// loss Δ_m·μ_m of a point μ_m of the domain. The newest, or the best one evaluated since
  /// KeepDualPoint. False when there is none.
  virtual bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const = 0;
  /// Whether DualPoint has the largest dual value of all evaluations of the run.
  virtual bool DualPointIsBest() const { return false; }
  /// Whether primals are the objective itself, as far as the oracle is exact, and not only bounds
  /// on it.
  virtual bool PrimalIsObjective() const { return true; }
};

/// Goes on with another λ: a step of a path over λ.
class LambdaFollower {
 public:
  virtual ~LambdaFollower() = default;
  /// From the dual point that was reached; counts begin anew. The problem must have the training
  /// set of the one before (Problem::WithLambda), which is not needed any more.
  virtual void ChangeLambda(const Problem& problem) = 0;
};

/// Knows something about its gap without an evaluation, so that the loop evaluates less often.
class CheckAdvisor {
 public:
  virtual ~CheckAdvisor() = default;
  /// A guess of the certified gap, from by-products of the passes; NaN when there is none.
  /// Evaluations are made less often while the guess is far from what is wanted.
  virtual double GapEstimate() const { return kNone; }
  /// False while an evaluation would cost more than the passes since the last one. From counted
  /// work, so that runs replay.
  virtual bool CheckIsCheap() const { return true; }
};

/// Is shown the evaluations that end no run, and may adapt to them.
class CheckListener {
 public:
  virtual ~CheckListener() = default;
  /// Counts as training. Returns a sentence when something changed that a user should know, else an
  /// empty string.
  virtual std::string Adapt(const Evaluation& evaluation) = 0;
};

/// Makes the next pass on the calling thread while other threads evaluate.
class CheckCompanion {
 public:
  virtual ~CheckCompanion() = default;
  /// Whether it does now: its passes have no other use for the threads, and a CheckListener would
  /// change nothing.
  virtual bool EvaluatesBesidePasses() const = 0;
  /// What Evaluate(threads) returns, and after it what RunPass(stop) does, bit for bit.
  /// *pass_seconds: the elapsed time of the pass.
  virtual Evaluation EvaluateBesidePass(int threads, const StopControl& stop,
                                        double* pass_seconds) = 0;
};

/// How large the figures of an objective are.
struct ObjectiveScales {
  /// The primal at w = 0: the mean over the examples of the largest loss. NaN: not known.
  double primal_at_zero = kNone;
  /// ScoreScale (problem.h): how far rounding may move bounds. 0: not known.
  double score_scale = 0;
};
ObjectiveScales ScalesOf(const Problem& problem);

/// Its objective is not that of the problem that it was given (smoothed, or with kernels).
class ScaleSource {
 public:
  virtual ~ScaleSource() = default;
  virtual ObjectiveScales Scales() const = 0;
};

/// What a learner can do: null for what it cannot. The pointers live as long as the learner.
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
