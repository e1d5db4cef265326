// SPDX-License-Identifier: BSD-3-Clause
//
// How a caller ends long work.
#pragma once

#include <functional>

namespace slackline::internal {

/// Called between the steps of long work, some hundred times a second, possibly by several threads
/// at once. An exception ends the work. May be empty.
using StepCheck = std::function<void()>;

inline void CheckStep(const StepCheck& check) {
  if (check) check();
}

}  // namespace slackline::internal
