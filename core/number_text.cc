// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/number_text.h>

#include <array>
#include <charconv>

namespace slackline {

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

}  // namespace slackline
