// SPDX-License-Identifier: BSD-3-Clause
//
// Texts about the progress of work in several stages, for a line on the terminal.
#pragma once

#include <string>
#include <string_view>

#include <slackline/core/timer.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// "40 s"; from two minutes on "2:05 min".
std::string TimeText(double seconds);

/// "features: image 34 of 591, about 2:10 min left". `seconds`: time since the stage began. It and
/// `done` give the remaining time, which is omitted for the first image.
std::string ProgressText(std::string_view stage, Index done, Index all, double seconds);

/// Measures the time since the current stage began.
class StageClock {
 public:
  /// The first call with a stage's name starts its time.
  void Begin(std::string_view stage);
  /// Seconds since the current stage began.
  double Seconds() const { return timer_.Seconds(); }

 private:
  std::string stage_;
  WallTimer timer_;
};

}  // namespace slackline::internal
