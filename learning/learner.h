// SPDX-License-Identifier: BSD-3-Clause
//
// What a learner is to the training loop: something that makes passes, and can be evaluated at any
// time. New learners implement this class; the loop itself (train_loop.h) exists once.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include <slackline/core/timer.h>
#include <slackline/learning/learner_traits.h>
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

/// A learner has four functions: it makes a pass, is evaluated, describes its state, and counts its
/// work. What else it can do are traits (learner_traits.h).
class Learner {
 public:
  Learner() = default;
  virtual ~Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// One pass: as many steps as there are blocks. May return early when `stop` says so.
  virtual void RunPass(const StopControl& stop) = 0;

  /// Evaluates the current point with up to `threads` threads, without changing what the next pass
  /// does (a learner that has several ways may remember for the passes after that how good its
  /// point was). The result does not depend on `threads`. Leaves the weights that were certified in
  /// evaluated_.
  virtual Evaluation Evaluate(int threads) = 0;

  /// Describes everything that later passes and evaluations depend on: to be written, or to be
  /// read (state_archive.h). Between two passes only, after one that was not cut
  /// short. A learner that reads must have been made for the same problem and options; from then on
  /// it does what the saved one would have done, bit for bit, and evaluated_ is empty until the
  /// next evaluation. It is unspecified after a DataError. Throws std::logic_error when the learner
  /// has no such description.
  virtual void Archive(StateArchive* archive);

  /// Since the beginning of the run, whatever of it was saved and loaded.
  virtual WorkCounts work() const = 0;

  /// What else it can do.
  const LearnerTraits& traits() const { return traits_; }
  /// The weights that the last Evaluate certified.
  std::span<const double> weights() const { return evaluated_; }

  /// Archive, written or read.
  void Save(StateWriter* writer);
  void Load(StateReader* reader);

 protected:
  std::vector<double> evaluated_;
  /// To be filled in by the constructor.
  LearnerTraits traits_;
};

/// The learner's guess of its gap; NaN when it has none.
double GapEstimate(const Learner& learner);
/// CheckAdvisor's; true without one.
bool CheckIsCheap(const Learner& learner);
/// Shows the learner an evaluation, if it listens (CheckListener); returns what it says.
std::string Adapt(const Learner& learner, const Evaluation& evaluation);
/// Evaluates, then makes a pass: what a CheckCompanion does at the same time.
Evaluation EvaluateThenPass(Learner& learner, int threads, const StopControl& stop,
                            double* pass_seconds);
/// CheckCompanion's, where the learner is one and does so now.
bool EvaluatesBesidePasses(const Learner& learner);

}  // namespace slackline::internal
