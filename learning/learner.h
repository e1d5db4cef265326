// SPDX-License-Identifier: BSD-3-Clause
//
// What a learner is to the training loop: something that makes passes, and can be evaluated at any
// time. New learners implement this class; the loop itself (train_loop.h) exists once.
#pragma once

#include <atomic>
#include <span>
#include <string_view>
#include <vector>

#include <slackline/core/timer.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/state_archive.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

/// Asks whether a run has to end early. Polled by learners between examples; never changes what
/// they compute.
class StopControl {
 public:
  /// interrupt: may be null; a value other than 0 stops the run. time_limit_seconds: 0 = none;
  /// counts from construction, where spent_seconds have gone by already.
  StopControl(const std::atomic<int>* interrupt, double time_limit_seconds,
              double spent_seconds = 0)
      : interrupt_(interrupt),
        time_limit_seconds_(time_limit_seconds),
        spent_seconds_(spent_seconds) {}

  bool interrupted() const {
    return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed) != 0;
  }
  bool ShouldStop() const {
    return interrupted() || (time_limit_seconds_ > 0 && Elapsed() >= time_limit_seconds_);
  }
  /// Seconds of the run so far, whatever they went into.
  double Elapsed() const { return spent_seconds_ + timer_.Seconds(); }

 private:
  const std::atomic<int>* interrupt_;
  double time_limit_seconds_;
  double spent_seconds_;
  WallTimer timer_;
};

/// Figures of a learner's current point.
struct Evaluation {
  CertifiedProblem problem = CertifiedProblem::kRelaxed;
  double primal = kNone;  ///< certified upper bound on the optimum, at weights()
  double dual = kNone;    ///< certified lower bound on the optimum, the best that the learner knows
  double soft_primal = kNone;
  double soft_dual = kNone;
  double soft_gap = kNone;
  double violation = kNone;
  double rho = kNone;
  double tau = kNone;
  /// The problem itself still changes (a falling ρ): no gap ends the run.
  bool provisional = false;
};

struct WorkCounts {
  std::int64_t oracle_calls = 0;
  std::int64_t block_steps = 0;
  /// Array entries touched, oracles included, from the beginning of the run: the unit in which ways
  /// are compared. 0: not counted.
  std::int64_t entries = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;

  virtual std::string_view name() const = 0;
  virtual StoppingGap stopping_gap() const { return StoppingGap::kCertified; }

  /// One pass: as many steps as there are blocks. May return early when `stop` says so.
  virtual void RunPass(const StopControl& stop) = 0;

  /// Evaluates the current point with up to `threads` threads, without changing what the next pass
  /// does (a learner that has several ways may remember for the passes after that how good its
  /// point was). The result does not depend on `threads`.
  virtual Evaluation Evaluate(int threads) = 0;

  /// What Evaluate(threads) returns, and after it what RunPass(stop) does, bit for bit. A learner
  /// that can makes the pass on the calling thread while other threads evaluate. *pass_seconds: the
  /// elapsed time of the pass.
  virtual Evaluation EvaluateBesidePass(int threads, const StopControl& stop, double* pass_seconds);
  /// Whether it can, its state can be saved, and its passes have no other use for the threads.
  /// Requires that Adapt does nothing: the pass is made before it is called.
  virtual bool EvaluatesBesidePasses() const { return false; }

  /// The weights that the last Evaluate certified.
  virtual std::span<const double> weights() const = 0;

  virtual WorkCounts work() const = 0;

  /// The primal at w = 0, if the learner knows it: the mean over the examples of the largest loss.
  virtual double PrimalAtZero() const { return kNone; }

  /// ScoreScale (problem.h) of the learner's problem: how far rounding may move its bounds. 0 = not
  /// known.
  virtual double ScoreScale() const { return 0; }

  /// A guess of the certified gap, from by-products of the passes; NaN when the learner has none.
  /// Evaluations are made less often while the guess is far from what is wanted.
  virtual double GapEstimate() const { return kNone; }

  /// False while an evaluation would cost more than the passes since the last one. From counted
  /// work, so that runs replay.
  virtual bool CheckIsCheap() const { return true; }

  /// The learner is shown the evaluation that was just made, and may adapt (counts as training).
  /// Returns a sentence when it changed something that a user should know, else an empty string.
  virtual std::string Adapt(const Evaluation& evaluation) {
    static_cast<void>(evaluation);
    return {};
  }

  /// To be called before the run if DualPoint will be asked for: a learner whose newest point need
  /// not be its best keeps a copy of that.
  virtual void KeepDualPoint() {}
  /// The dual point of example m, as far as objectives see it, for verification (verify.h): the
  /// coordinates of φ_m(μ_m) and the loss Δ_m·μ_m of a point μ_m of the domain. The newest, or the
  /// best one evaluated since KeepDualPoint. False when the learner has none.
  virtual bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
    static_cast<void>(m), static_cast<void>(coordinates), static_cast<void>(loss);
    return false;
  }

  /// Whether primals are the objective itself, as far as the learner's oracle is exact, and not
  /// only bounds on it.
  virtual bool PrimalIsObjective() const { return true; }

  /// Whether DualPoint has the largest dual value of all evaluations of the run.
  virtual bool DualPointIsBest() const { return false; }

  /// Writes everything that later passes and evaluations depend on. Between two passes only, after
  /// one that was not cut short. Throws std::logic_error when the learner has no such method.
  virtual void Save(StateWriter* writer) const;
  /// Takes over a saved state; the learner must have been made for the same problem and options,
  /// and is then unspecified when DataError is thrown. From here on it does what the saved one
  /// would have done, bit for bit. weights() is empty until the next Evaluate.
  virtual void Load(StateReader* reader);

  /// Goes on with another λ, from the dual point that was reached; counts begin anew. The problem
  /// must have the training set of the one before (Problem::WithLambda), which is not needed any
  /// more. Throws std::logic_error as Save.
  virtual void ChangeLambda(const Problem& problem);
};

}  // namespace slackline::internal
