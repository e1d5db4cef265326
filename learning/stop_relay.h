// SPDX-License-Identifier: BSD-3-Clause
//
// Tells the oracles of a check that the run must end. A check visits every example; when the time
// is over and half a second more has passed, the examples that are left get bounds that cost one
// look at their tables each, in place of a solver's; and after a further quarter of a second,
// bounds that need no tables.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

#include <slackline/core/stop_condition.h>
#include <slackline/core/timer.h>
#include <slackline/learning/learner.h>

namespace slackline::internal {

/// Thrown where a preparation cannot end in time.
class OutOfTime : public std::exception {
 public:
  const char* what() const noexcept override { return "the run ended during its preparation"; }
};

/// Made before the learner, and named in its options (TrainOptions::stop).
class StopRelay final : public StopCondition {
 public:
  /// grace_seconds: how long a preparation or a check goes on from when the run must end.
  explicit StopRelay(double grace_seconds = 0.5) : grace_seconds_(grace_seconds) {}
  /// For a run whose preparation may end early, too: with this time limit (0: none) and this flag
  /// (null: none). The learner then makes no passes, so that it must serve for this run alone.
  StopRelay(double time_limit_seconds, const std::atomic<int>* interrupt) : StopRelay() {
    preparation_limit_ = time_limit_seconds;
    preparation_interrupt_ = interrupt;
  }

  /// While one of these lives, Poll on the same thread throws OutOfTime when the preparation must
  /// end.
  class Preparation {
   public:
    explicit Preparation(const StopRelay* relay) : outer_(std::exchange(current, relay)) {}
    ~Preparation() { current = outer_; }
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;

    /// The relay of this thread's innermost one; null without one. Threads that prepare for this
    /// thread make a Preparation of it.
    static const StopRelay* Current() { return current; }
    /// To be called for each example that a learner prepares.
    static void Poll() {
      if (current != nullptr && current->PreparationMustEnd()) throw OutOfTime();
    }

   private:
    inline static thread_local const StopRelay* current = nullptr;
    const StopRelay* outer_;
  };

  /// Makes the relay follow a run's control as long as the scope lives.
  class Scope {
   public:
    Scope(StopRelay* relay, const StopControl* control) : relay_(relay) {
      if (relay_ == nullptr) return;
      relay_->end_ = kNever;
      relay_->control_ = control;
    }
    ~Scope() {
      if (relay_ != nullptr) relay_->control_ = nullptr;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StopRelay* relay_;
  };

  /// Whether this process would end the check now, whatever other ranks want. Any thread may call
  /// it.
  bool Reached() const override { return EndedFor(grace_seconds_); }
  /// Whether even a look at tables takes too long now.
  bool Overdue() const { return EndedFor(1.5 * grace_seconds_); }
  /// The seconds since this object was made: what the preparation of a run took, which its time
  /// limit covers. 0 from the second call on, since a learner may make several runs.
  double TakePreparationSeconds() { return std::exchange(prepared_, true) ? 0 : made_.Seconds(); }
  /// To be called where OutOfTime is caught.
  void CountEndedPreparation() { preparation_ended_ = true; }
  bool preparation_ended() const { return preparation_ended_; }
  /// To be called by an oracle that has returned a bound without a solver.
  void CountRoughBound() { rough_.store(true, std::memory_order_relaxed); }
  /// Whether that has happened since the last call.
  bool TakeRough() { return rough_.exchange(false); }

 private:
  static constexpr double kNever = kInfinity;

  bool PreparationMustEnd() const {
    if (preparation_interrupt_ != nullptr && preparation_interrupt_->load() != 0) return true;
    return preparation_limit_ > 0 && made_.Seconds() >= preparation_limit_ + grace_seconds_;
  }
  /// Whether the run has had to end for so many seconds.
  bool EndedFor(double seconds) const {
    const StopControl* const control = control_.load(std::memory_order_relaxed);
    if (control == nullptr || control->wish() == StopControl::Wish::kGoOn) return false;
    double never = kNever;
    end_.compare_exchange_strong(never, control->Elapsed());
    return control->Elapsed() >= end_ + seconds;
  }

  double grace_seconds_;
  double preparation_limit_ = 0;
  const std::atomic<int>* preparation_interrupt_ = nullptr;
  WallTimer made_;
  bool prepared_ = false;
  bool preparation_ended_ = false;
  std::atomic<const StopControl*> control_{nullptr};
  mutable std::atomic<double> end_{kNever};  // when the run had to end, on the clock of the control
  std::atomic<bool> rough_{false};
};

}  // namespace slackline::internal
