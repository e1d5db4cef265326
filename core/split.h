// SPDX-License-Identifier: BSD-3-Clause
//
// Lists in the values of options, fields of lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal {

/// The pieces between separators, always one more than there are separators: "a,,b" has an empty
/// one in the middle, and "" is one empty piece.
std::vector<std::string> Split(std::string_view text, char separator);
/// The same as views of the text, in place of what *pieces has.
void SplitViews(std::string_view text, char separator, std::vector<std::string_view>* pieces);

/// What stands between blanks and tabs, never empty, in place of what *fields has.
void SplitAtBlanks(std::string_view text, std::vector<std::string_view>* fields);

/// Without blanks and tabs at its ends.
std::string_view Trimmed(std::string_view text);

}  // namespace slackline::internal
