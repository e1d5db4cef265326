// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/progress_text.h>

#include <cmath>

#include <slackline/core/check.h>

namespace slackline::internal {

std::string TimeText(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 120) return std::to_string(whole) + " s";
  const std::string rest = std::to_string(whole % 60);
  return std::to_string(whole / 60) + ":" + (rest.size() < 2 ? "0" : "") + rest + " min";
}

std::string ProgressText(std::string_view stage, Index done, Index all, double seconds) {
  SLACKLINE_CHECK(done >= 1 && done <= all && seconds >= 0, "there are 1 to all images done");
  // One image is too few for an estimate: it may be the largest, and files are cold at the first.
  std::string text =
      std::string(stage) + ": image " + std::to_string(done) + " of " + std::to_string(all);
  if (done == 1 || done == all) return text;
  return text + ", about " + TimeText(seconds / done * (all - done)) + " left";
}

void StageClock::Begin(std::string_view stage) {
  if (stage == stage_) return;
  stage_ = stage;
  timer_.Restart();
}

}  // namespace slackline::internal
