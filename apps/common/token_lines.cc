// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/token_lines.h>

#include <algorithm>

#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kConlluColumns = 10;
constexpr std::size_t kForm = 1;
constexpr std::size_t kUpos = 3;

enum class ConlluId { kNone, kWord, kOther };

/// Whether a text is the identifier of a word (5), or of a range or an empty node (1-2, 5.1).
ConlluId ConlluIdOf(std::string_view text) {
  if (TakeDigits(&text).empty()) return ConlluId::kNone;
  if (text.empty()) return ConlluId::kWord;
  if (text[0] != '-' && text[0] != '.') return ConlluId::kNone;
  text.remove_prefix(1);
  return !TakeDigits(&text).empty() && text.empty() ? ConlluId::kOther : ConlluId::kNone;
}

bool IsConllu(std::string_view line) {
  std::vector<std::string_view> columns;
  SplitViews(line, '\t', &columns);
  return columns.size() == kConlluColumns && ConlluIdOf(columns[0]) != ConlluId::kNone;
}

}  // namespace

LineRole RoleOfTokenLine(std::string_view line) {
  return std::all_of(line.begin(), line.end(), IsBlank) ? LineRole::kSeparator : LineRole::kPart;
}

bool TokenLines::Decide(std::string_view line) {
  if (decided()) return true;
  const LineRole role = RoleOf(line);
  if (role == LineRole::kNothing) return false;
  if (role == LineRole::kSeparator) {
    if (text_) form_ = Form::kBlanks;
    return text_;
  }
  text_ = true;
  if (line.starts_with('#')) return false;
  const bool tabs = line.find('\t') != std::string_view::npos;
  form_ = IsConllu(line) ? Form::kConllu : tabs ? Form::kTabs : Form::kBlanks;
  return true;
}

LineRole TokenLines::RoleOf(std::string_view line) const {
  if (!comments_.empty() && line.starts_with(comments_)) return LineRole::kNothing;
  if (!conllu()) return RoleOfTokenLine(line);
  if (line.starts_with('#')) return LineRole::kNothing;
  return ConlluIdOf(line.substr(0, line.find('\t'))) == ConlluId::kOther ? LineRole::kNothing
                                                                         : RoleOfTokenLine(line);
}

bool TokenLines::Split(std::string_view line, std::vector<std::string_view>* columns) const {
  if (form_ == Form::kBlanks) {
    SplitAtBlanks(line, columns);
    return true;
  }
  SplitViews(line, '\t', columns);
  if (!conllu()) return true;
  if (columns->size() != kConlluColumns) return false;
  const std::string_view label = (*columns)[kUpos];
  *columns = {(*columns)[kForm], label == "_" ? "?" : label};
  return true;
}

char TokenLines::SeparatorOf(std::string_view line) const {
  if (form_ != Form::kBlanks) return '\t';
  const std::size_t blank = line.find_first_of(" \t", line.find_first_not_of(" \t"));
  return blank == std::string_view::npos ? '\t' : line[blank];
}

std::string CommentHint(std::string_view line) {
  return line.starts_with('#') ? "; --comments '#' leaves such lines out" : "";
}

}  // namespace slackline::internal
