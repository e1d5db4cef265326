// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/number_text.h>

#include <array>
#include <charconv>

namespace slackline::internal {

std::string NumberText(double value) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string NumberText(double value, int digits) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::general, digits)
                             .ptr};
}

std::string FixedText(double value, int decimals) {
  std::array<char, 384> buffer;  // the largest number has 309 digits before the point
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::fixed, decimals)
                             .ptr};
}

std::string Count(Offset count, const std::string& noun) {
  const std::string number = std::to_string(count) + " ";
  if (count == 1) return number + noun;
  if (noun.ends_with("s")) return number + noun + "es";
  if (noun.ends_with("y")) return number + noun.substr(0, noun.size() - 1) + "ies";
  return number + noun + "s";
}

}  // namespace slackline::internal
