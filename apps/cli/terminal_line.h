// SPDX-License-Identifier: BSD-3-Clause
//
// A line of progress at the bottom of the terminal, redrawn in place. Part of the program only.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include <slackline/core/timer.h>

namespace slackline::internal::program {

class TerminalLine {
 public:
  /// Writes to the standard error if `show` is true and it is a terminal; else does nothing.
  explicit TerminalLine(bool show) : active_(show && isatty(STDERR_FILENO) == 1) {}

  bool active() const { return active_; }
  /// Whether the last Show was long enough ago to redraw without flicker.
  bool due() const { return active_ && shown_.Seconds() >= kRedrawSeconds; }

  void Show(const std::string& text) {
    if (!active_) return;
    shown_.Restart();
    std::fputs(("\r" + text + "\x1b[K").c_str(), stderr);
  }
  void Clear() {
    if (active_) std::fputs("\r\x1b[K", stderr);
  }

 private:
  static constexpr double kRedrawSeconds = 0.1;

  bool active_;
  WallTimer shown_;
};

}  // namespace slackline::internal::program
