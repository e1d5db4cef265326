// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers in messages and files, the same in every locale.
#pragma once

#include <string>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The shortest text that reads back as the same number.
std::string NumberText(double value);
/// With at most `digits` significant digits (printf's %.<digits>g). Requires 1 ≤ digits ≤ 17.
std::string NumberText(double value, int digits);
/// With this number of decimals (printf's %.<decimals>f).
std::string FixedText(double value, int decimals);
/// A count with its noun: "1 label", "2 labels", "3 passes", "4 entries".
std::string Count(Offset count, const std::string& noun);

}  // namespace slackline::internal
