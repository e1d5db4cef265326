// SPDX-License-Identifier: BSD-3-Clause
//
// Suggestions for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal {

/// The least number of insertions, deletions, changes and swaps of neighbouring characters that
/// turn one text into the other (no character is changed twice: "optimal string alignment"). Takes
/// time proportional to the product of the lengths.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// The first of the names nearest to the word, if it is near enough to be meant: at most one edit,
/// or one edit per three characters of the word. Empty when no name is, and for words of more than
/// 60 bytes.
std::string_view NearestName(std::string_view word, const std::vector<std::string_view>& names);

/// "; did you mean 'bmrm'?", or "" when no name is near. For the end of a message.
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace slackline::internal
