// SPDX-License-Identifier: BSD-3-Clause
//
// Texts about how far work of several stages is, for a line on the terminal.
#pragma once

#include <string>
#include <string_view>

#include <slackline/core/timer.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// "40 s", from two minutes on "2:05 min".
std::string TimeText(double seconds);

/// "features: image 34 of 591, about 2:10 min left"; the time by that of the `done` ones, and
/// without it for the first of them. seconds: since the stage began.
std::string ProgressText(std::string_view stage, Index done, Index all, double seconds);

/// Keeps the time at which the present stage began.
class StageClock {
 public:
  /// A stage begins with the first call that names it.
  void Begin(std::string_view stage);
  /// Since then.
  double Seconds() const { return timer_.Seconds(); }

 private:
  std::string stage_;
  WallTimer timer_;
};

}  // namespace slackline::internal
