// SPDX-License-Identifier: BSD-3-Clause
//
// What the training loop sees of a learner: it makes passes, and can be evaluated between any two
// of them. New learners implement this class; the loop itself (train_loop.h) exists once.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include <slackline/core/ranks.h>
#include <slackline/core/timer.h>
#include <slackline/learning/learner_traits.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/state_archive.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

/// Tells whether a run must end early. Learners poll it between examples; it never changes what
/// learners compute.
///
/// Where several ranks train together, they must agree on the end: ShouldStop() then tells what
/// they agreed on last.
class StopControl {
 public:
  /// interrupt: may be null; a value other than 0 stops the run. time_limit_seconds: 0 = no limit;
  /// the clock starts at spent_seconds on construction.
  StopControl(const std::atomic<int>* interrupt, double time_limit_seconds,
              double spent_seconds = 0, bool agrees = false)
      : interrupt_(interrupt),
        time_limit_seconds_(time_limit_seconds),
        spent_seconds_(spent_seconds),
        agrees_(agrees) {}

  bool interrupted() const { return agrees_ ? agreed_ == Wish::kInterrupt : Interrupted(); }
  bool ShouldStop() const {
    return agrees_ ? agreed_ != Wish::kGoOn : Interrupted() || LimitReached();
  }
  /// Elapsed seconds of the run so far, spent_seconds included.
  double Elapsed() const { return spent_seconds_ + timer_.Seconds(); }

  /// What this rank alone would do, the larger wish being the stronger one.
  enum class Wish : std::int8_t { kGoOn, kTimeLimit, kInterrupt };
  Wish wish() const {
    if (Interrupted()) return Wish::kInterrupt;
    return LimitReached() ? Wish::kTimeLimit : Wish::kGoOn;
  }
  /// The strongest wish of all ranks, which holds from now on, unless a stronger one held already.
  void Agree(Wish wish) const { agreed_ = std::max(agreed_, wish); }
  void Agree(Ranks& ranks) const {
    if (agrees_) Agree(static_cast<Wish>(ranks.MaxOf(static_cast<std::int64_t>(wish()))));
  }

 private:
  bool Interrupted() const {
    return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed) != 0;
  }
  bool LimitReached() const { return time_limit_seconds_ > 0 && Elapsed() >= time_limit_seconds_; }

  const std::atomic<int>* interrupt_;
  double time_limit_seconds_;
  double spent_seconds_;
  bool agrees_;
  mutable Wish agreed_ = Wish::kGoOn;
  WallTimer timer_;
};

/// Figures of a learner's current point. Figures that a learner does not have are NaN (kNone).
struct Evaluation {
  CertifiedProblem problem = CertifiedProblem::kRelaxed;
  double primal = kNone;  ///< certified upper bound on the optimum, at weights()
  double dual = kNone;    ///< certified lower bound on the optimum, the best known to the learner
  double soft_primal = kNone;
  double soft_dual = kNone;
  double soft_gap = kNone;
  double violation = kNone;
  double rho = kNone;
  double tau = kNone;
  /// True while the problem itself still changes (a falling ρ): no gap ends the run then.
  bool provisional = false;
};

/// Counts of a learner's work.
struct WorkCounts {
  std::int64_t oracle_calls = 0;  ///< maximisations over whole examples, or calls of sum-product
  std::int64_t block_steps = 0;   ///< steps on blocks
  /// Array entries touched since the beginning of the run, oracles included: the unit in which
  /// learners are compared. 0: not counted.
  std::int64_t entries = 0;
  /// With shards: exchanges of weights, and the processor seconds of the slowest shard between each
  /// two, with its share of the exchanges. That is what a run takes when every shard has its own
  /// processor. Seconds are those of this process where a run was resumed.
  std::int64_t rounds = 0;
  double critical_seconds = 0;
};

/// A learner has four functions: it makes a pass, is evaluated, describes its state, and counts its
/// work. Everything else that some learners can do is a trait (learner_traits.h).
class Learner {
 public:
  Learner() = default;
  virtual ~Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// Makes one pass: as many steps as there are blocks. May return early when stop.ShouldStop().
  virtual void RunPass(const StopControl& stop) = 0;

  /// Evaluates the current point with up to `threads` threads and leaves the certified weights in
  /// evaluated_. The result does not depend on `threads`. Does not change what the next pass does;
  /// a learner that switches between methods may remember the result for the passes after the next.
  virtual Evaluation Evaluate(int threads) = 0;

  /// Writes or reads everything that later passes and evaluations depend on (state_archive.h). To
  /// be called between two passes only, the first of which was not cut short. A learner that reads
  /// must have been made for the same problem and options; from then on it does what the saved
  /// learner would have done, bit for bit, and evaluated_ is empty until the next evaluation. The
  /// state of the learner is unspecified after a DataError. Throws std::logic_error when the
  /// learner has no such description.
  virtual void Archive(StateArchive* archive);

  /// Work since the beginning of the run; saved and loaded with the state.
  virtual WorkCounts work() const = 0;

  const LearnerTraits& traits() const { return traits_; }
  /// The weights that the last Evaluate certified.
  std::span<const double> weights() const { return evaluated_; }

  /// Archive with a writer, and with a reader.
  void Save(StateWriter* writer);
  void Load(StateReader* reader);

 protected:
  std::vector<double> evaluated_;
  /// The constructor of the derived class fills these in.
  LearnerTraits traits_;
};

/// CheckAdvisor::GapEstimate; NaN for a learner without that trait.
double GapEstimate(const Learner& learner);
/// CheckAdvisor::CheckIsCheap; true for a learner without that trait.
bool CheckIsCheap(const Learner& learner);
/// CheckAdvisor::PassesBefore; 0 for a learner without that trait.
Index PassesBefore(const Learner& learner);
/// CheckListener::Adapt; an empty string for a learner without that trait.
std::string Adapt(const Learner& learner, const Evaluation& evaluation);
/// Evaluates, then makes a pass, one after the other: the sequential form of
/// CheckCompanion::EvaluateBesidePass.
Evaluation EvaluateThenPass(Learner& learner, int threads, const StopControl& stop,
                            double* pass_seconds);
/// CheckCompanion::EvaluatesBesidePasses; false for a learner without that trait.
bool EvaluatesBesidePasses(const Learner& learner);

}  // namespace slackline::internal
