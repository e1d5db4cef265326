// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/split.h>

#include <algorithm>
#include <cctype>

#include <slackline/core/parse_number.h>

namespace slackline::internal {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  SplitViews(text, separator, &pieces);
  return {pieces.begin(), pieces.end()};
}

void SplitViews(std::string_view text, char separator, std::vector<std::string_view>* pieces) {
  pieces->clear();
  while (true) {
    const std::size_t end = text.find(separator);
    pieces->push_back(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void SplitAtBlanks(std::string_view text, std::vector<std::string_view>* fields) {
  fields->clear();
  const char* p = text.data();
  const char* end = p + text.size();
  for (;;) {
    while (p != end && IsBlank(*p)) ++p;
    if (p == end) return;
    const char* stop = std::find_if(p, end, IsBlank);
    fields->emplace_back(p, stop - p);
    p = stop;
  }
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace slackline::internal
