// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/quoted.h>

#include <algorithm>
#include <cstddef>

namespace slackline::internal {
namespace {

constexpr std::size_t kLongest = 60;

unsigned char ByteAt(std::string_view text, std::size_t k) {
  return static_cast<unsigned char>(text[k]);
}

/// Number of bytes of the UTF-8 character at the start of the text; 0 when it is invalid or a
/// control character.
std::size_t CharacterLength(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  const std::size_t length = first >= 0xf5   ? 0
                             : first >= 0xf0 ? 4
                             : first >= 0xe0 ? 3
                             : first >= 0xc2 ? 2
                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((ByteAt(text, k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = ByteAt(text, 1);
  const bool control = first == 0xc2 && second < 0xa0;
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return control || wrong ? 0 : length;
}

}  // namespace

std::string Printable(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string printable;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length > 0) {
      printable.append(text.substr(0, length));
    } else {
      const unsigned char byte = ByteAt(text, 0);
      printable.append("\\x").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return printable;
}

std::string Quoted(std::string_view token) {
  std::size_t end = token.size();
  if (end > kLongest) {
    end = kLongest;
    while (end > kLongest - 4 && (ByteAt(token, end) & 0xc0) == 0x80) --end;
  }
  return "'" + Printable(token.substr(0, end)) + (end < token.size() ? "...'" : "'");
}

}  // namespace slackline::internal
