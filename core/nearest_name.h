// SPDX-License-Identifier: BSD-3-Clause
//
// What a user may have meant by a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal {

/// Insertions, deletions, changes and swaps of neighbouring characters that turn one text into the
/// other (no character is changed twice: "optimal string alignment"). Time is the product of the
/// lengths.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// The first of the names nearest to the word, where that is near enough for a slip: one edit, or
/// one for every three characters of the word. Empty without one, and for words of more than 60
/// bytes.
std::string_view NearestName(std::string_view word, const std::vector<std::string_view>& names);

/// "; did you mean 'bmrm'?", or "" when no name is near. For the end of a message.
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace slackline::internal
