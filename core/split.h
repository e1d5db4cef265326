// SPDX-License-Identifier: BSD-3-Clause
//
// Lists in the values of options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// The pieces between separators, always one more than there are separators: "a,,b" has an empty one in the middle, and ""
/// is one empty piece.
std::vector<std::string> Split(std::string_view text, char separator);

}  // namespace slackline
