// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers in text files, independent of locales; shared by all readers of data.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <slackline/core/quoted.h>  // for messages about what is not a number
#include <slackline/core/types.h>

namespace slackline::internal {

/// Largest absolute value of a feature. Larger ones have no use and lead to numbers that are not
/// finite.
inline constexpr double kLargestValue = 1e50;

inline bool IsBlank(char c) { return c == ' ' || c == '\t'; }

/// Removes up to `most` decimal digits from the front of *text; returns them.
inline std::string_view TakeDigits(std::string_view* text,
                                   std::size_t most = std::string_view::npos) {
  const std::size_t end = std::min(most, text->find_first_not_of("0123456789"));
  const std::string_view digits = text->substr(0, end);
  text->remove_prefix(digits.size());
  return digits;
}

/// Reads a finite decimal number at the start of [begin, end): an optional sign, digits, a point,
/// an exponent. Returns the first character after it, or nullptr when there is no such number (also
/// for "nan", "inf" and values beyond a double's range).
inline const char* ParseNumber(const char* begin, const char* end, double* value) {
  if (end - begin >= 2 && *begin == '+' && begin[1] != '-') ++begin;
  const std::from_chars_result result = std::from_chars(begin, end, *value);
  return result.ec == std::errc() && std::isfinite(*value) ? result.ptr : nullptr;
}

/// True when the whole of `text` is a finite decimal number.
inline bool ParseNumber(std::string_view text, double* value) {
  const char* end = text.data() + text.size();
  return ParseNumber(text.data(), end, value) == end && !text.empty();
}

/// True when the whole of `text` is a whole number ≥ 0 within the range of Index, without a sign.
inline bool ParseIndex(std::string_view text, Index* value) {
  if (text.empty() || text.front() == '-') return false;
  const std::from_chars_result result =
      std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace slackline::internal
