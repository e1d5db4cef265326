// SPDX-License-Identifier: BSD-3-Clause
//
// Tells long computations to end with what they have.
#pragma once

#include <atomic>

#include <slackline/core/timer.h>

namespace slackline::internal {

class StopCondition {
 public:
  virtual ~StopCondition() = default;
  /// Whether the computation is to end. Once true, it stays so. Any thread may call it.
  virtual bool Reached() const = 0;
};

/// A time limit that begins with the object, and a flag that others set.
class DeadlineOrFlag final : public StopCondition {
 public:
  /// seconds: 0 = no limit. flag: a value other than 0 ends the computation; may be null.
  DeadlineOrFlag(double seconds, const std::atomic<int>* flag) : seconds_(seconds), flag_(flag) {}

  bool Reached() const override {
    return (flag_ != nullptr && flag_->load(std::memory_order_relaxed) != 0) ||
           (seconds_ > 0 && timer_.Seconds() >= seconds_);
  }

 private:
  double seconds_;
  const std::atomic<int>* flag_;
  WallTimer timer_;
};

}  // namespace slackline::internal
