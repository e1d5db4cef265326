// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace slackline::internal {

/// "slackline 0.1.0".
std::string ProgramVersion();

}  // namespace slackline::internal
