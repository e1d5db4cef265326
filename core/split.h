// SPDX-License-Identifier: BSD-3-Clause
//
// Splitting text: lists in the values of options, fields of lines; and capitals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal {

/// The pieces between separators, always one more than there are separators: "a,,b" has an empty
/// piece in the middle, and "" is one empty piece.
std::vector<std::string> Split(std::string_view text, char separator);
/// Split, with views of the text as pieces; replaces what *pieces has.
void SplitViews(std::string_view text, char separator, std::vector<std::string_view>* pieces);

/// The non-empty pieces between blanks and tabs, as views of the text; replaces what *fields has.
void SplitAtBlanks(std::string_view text, std::vector<std::string_view>* fields);

/// The text without blanks and tabs at its ends.
std::string_view Trimmed(std::string_view text);

/// The text with small letters in place of capitals (ASCII).
std::string LowerCase(std::string_view text);

}  // namespace slackline::internal
