// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/learning/learner.h>

namespace slackline::internal::test {

/// Never stops a pass.
inline const StopControl kNever(nullptr, 0);

}  // namespace slackline::internal::test
