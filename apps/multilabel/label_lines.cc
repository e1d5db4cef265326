// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/label_lines.h>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {

LabelLines::LabelLines(const std::string& path, std::span<const std::string> label_names)
    : reader_(path), names_(label_names) {
  SLACKLINE_CHECK(!label_names.empty(), "lines of labels need labels");
  for (std::size_t i = 0; i < names_.size(); ++i)
    numbers_.emplace(names_[i], static_cast<Index>(i));
}

void LabelLines::Fail(const std::string& message) const {
  throw DataError(reader_.name(), reader_.line_number(), message);
}

bool LabelLines::Next() {
  std::string_view line;
  while (reader_.Next(&line)) {
    Split(line);
    if (!words_.empty()) return true;
  }
  return false;
}

std::string LabelLines::Text() const {
  std::string text;
  for (const Word& word : words_) text += (text.empty() ? "" : " ") + Quoted(word.text);
  return text;
}

void LabelLines::Split(std::string_view line) {
  words_.clear();
  std::size_t k = 0;
  while (true) {
    while (k < line.size() && IsBlank(line[k])) ++k;
    if (k == line.size() || line[k] == '#') return;
    if (line[k] == '"') {
      words_.push_back({TakeQuoted(line, &k), true});
    } else {
      const std::size_t begin = k;
      while (k < line.size() && !IsBlank(line[k])) ++k;
      words_.push_back({std::string(line.substr(begin, k - begin)), false});
    }
  }
}

/// Reads a quoted word. *k is at the opening quote, and moves behind the closing one.
std::string LabelLines::TakeQuoted(std::string_view line, std::size_t* k) const {
  std::string text;
  const std::string_view rest = line.substr(*k);
  for (++*k; *k < line.size(); ++*k) {
    if (line[*k] != '"') {
      text.push_back(line[*k]);
    } else if (*k + 1 < line.size() && line[*k + 1] == '"') {
      text.push_back('"');
      ++*k;
    } else {
      ++*k;
      if (*k < line.size() && !IsBlank(line[*k]))
        Fail("text follows the closing quote: " + Quoted(rest));
      return text;
    }
  }
  Fail("the closing quote is missing: " + Quoted(rest));
}

Index LabelLines::LabelOf(const Word& word) const {
  const auto found = numbers_.find(word.text);
  if (found != numbers_.end()) return found->second;
  Index number = 0;
  const auto count = static_cast<Index>(names_.size());
  if (!word.quoted && ParseIndex(word.text, &number) && number < count) return number;
  Fail("unknown label " + Quoted(word.text) + ": there are " + std::to_string(count) +
       " labels, from " + Quoted(names_.front()) + " to " + Quoted(names_.back()) +
       ", also numbered from 0");
}

}  // namespace slackline::internal
