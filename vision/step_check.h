// SPDX-License-Identifier: BSD-3-Clause
//
// How long work is ended from outside.
#pragma once

#include <functional>

namespace slackline::internal {

/// Called between the steps of long work, some hundred times a second, by several threads at a
/// time; what it throws ends the work. May be empty.
using StepCheck = std::function<void()>;

inline void CheckStep(const StepCheck& check) {
  if (check) check();
}

}  // namespace slackline::internal
