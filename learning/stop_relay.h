// SPDX-License-Identifier: BSD-3-Clause
//
// Tells the oracles of a check that the run must end. A check visits every example; when the time
// is over and half a second more has passed, the examples that are left get bounds that cost one
// look at their tables each, in place of a solver's.
#pragma once

#include <atomic>
#include <utility>

#include <slackline/core/stop_condition.h>
#include <slackline/core/timer.h>
#include <slackline/learning/learner.h>

namespace slackline::internal {

/// Made before the learner, and named in its options (TrainOptions::stop).
class StopRelay final : public StopCondition {
 public:
  /// grace_seconds: how long a check goes on from when the run must end.
  explicit StopRelay(double grace_seconds = 0.5) : grace_seconds_(grace_seconds) {}

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
  bool Reached() const override {
    const StopControl* const control = control_.load(std::memory_order_relaxed);
    if (control == nullptr || control->wish() == StopControl::Wish::kGoOn) return false;
    double never = kNever;
    end_.compare_exchange_strong(never, control->Elapsed() + grace_seconds_);
    return control->Elapsed() >= end_;
  }
  /// The seconds since this object was made: what the preparation of a run took, which its time
  /// limit covers. 0 from the second call on, since a learner may make several runs.
  double TakePreparationSeconds() { return std::exchange(prepared_, true) ? 0 : made_.Seconds(); }
  /// To be called by an oracle that has returned a bound without a solver.
  void CountRoughBound() { rough_.store(true, std::memory_order_relaxed); }
  /// Whether that has happened since the last call.
  bool TakeRough() { return rough_.exchange(false); }

 private:
  static constexpr double kNever = kInfinity;
  double grace_seconds_;
  WallTimer made_;
  bool prepared_ = false;
  std::atomic<const StopControl*> control_{nullptr};
  mutable std::atomic<double> end_{kNever};  // of the grace, on the clock of the control
  std::atomic<bool> rough_{false};
};

}  // namespace slackline::internal
