// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/label_words.h>

#include <algorithm>
#include <array>

#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

using Words = std::span<const std::string_view>;
constexpr std::array<std::string_view, 11> kNo = {
    "false", "f", "no", "n", "nein", "non", "off", "neg", "negative", "absent", "falsch"};
constexpr std::array<std::string_view, 13> kYes = {
    "true", "t", "yes", "y", "ja", "j", "oui", "si", "on", "pos", "positive", "present", "wahr"};
constexpr std::array<std::string_view, 3> kMarks = {"x", "\xe2\x9c\x93", "\xe2\x9c\x94"};  // ticks

bool IsUsual(std::string_view lower) { return lower == "true" || lower == "false"; }

}  // namespace

std::optional<LabelWord> ParseLabelWord(std::string_view text) {
  if (text == "0") return LabelWord::kNo;
  if (text == "1") return LabelWord::kYes;
  if (text.empty()) return LabelWord::kEmpty;
  if (IsMissingText(text)) return LabelWord::kUnknown;
  double number = 0;
  if (ParseNumber(text, &number)) {
    if (number == 0) return LabelWord::kNo;
    if (number == 1) return LabelWord::kYes;
    return number == -1 ? std::optional(LabelWord::kMinusOne) : std::nullopt;
  }
  const std::string lower = LowerCase(text);
  const auto is_one_of = [&lower](Words words) {
    return std::find(words.begin(), words.end(), lower) != words.end();
  };
  if (is_one_of(kNo)) return LabelWord::kNo;
  if (is_one_of(kYes)) return LabelWord::kYes;
  if (is_one_of(kMarks)) return LabelWord::kMark;
  return std::nullopt;
}

LabelWords::LabelWords(std::vector<std::string> names, const std::vector<std::string>& marked)
    : columns_(names.size()) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    columns_[k].name = std::move(names[k]);
    columns_[k].mark = std::find(marked.begin(), marked.end(), columns_[k].name) != marked.end();
  }
}

std::int8_t LabelWords::Add(Index label, std::string_view text, const std::string& file,
                            long line) {
  const std::optional<LabelWord> word = ParseLabelWord(text);
  Column& column = columns_[Size(label)];
  if (!word) {
    throw DataError(file, line,
                    "label " + Quoted(column.name) + " has the value " + Quoted(text) +
                        "; labels are 0 and 1, true and false, yes and no, -1 and 1, x and empty, "
                        "or unknown (empty, NA, ?)");
  }
  double ignored = 0;
  const bool number = (text == "0" || text == "1") || ParseNumber(text, &ignored);
  switch (*word) {
    case LabelWord::kMinusOne:
      column.minus_one = true;
      if (no_.empty()) no_ = text;
      break;
    case LabelWord::kNo:
      column.no = true;
      column.zero = column.zero || number;
      if (!number && no_.empty() && !IsUsual(LowerCase(text))) no_ = text;
      break;
    case LabelWord::kMark:
      column.mark = true;
      if (mark_.empty()) mark_ = text;
      return 1;
    case LabelWord::kYes:
      if (!number && yes_.empty() && !IsUsual(LowerCase(text))) yes_ = text;
      return 1;
    case LabelWord::kEmpty:
      return kEmptyCell;
    case LabelWord::kUnknown:
      return -1;
  }
  if (column.zero && column.minus_one) {
    throw DataError(file, line,
                    "label " + Quoted(column.name) +
                        " has both 0 and -1: leave cells empty where the label is not known");
  }
  return 0;
}

void LabelWords::Tell(const std::string& no, const std::string& yes) {
  double ignored = 0;
  const auto usual = [&](const std::string& text) {
    return IsUsual(LowerCase(text)) || (ParseNumber(text, &ignored) && ignored >= 0);
  };
  if (!yes_.empty() || !no_.empty() || (usual(no) && usual(yes))) return;
  yes_ = yes;
  no_ = no;
}

void LabelWords::Agree(Ranks& ranks) {
  std::vector<std::int64_t> facts;
  for (const Column& column : columns_) {
    facts.push_back(column.no || column.minus_one);
    facts.push_back(column.mark);
  }
  ranks.AddUp(facts);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    columns_[k].no = facts[2 * k] > 0;
    columns_[k].mark = facts[2 * k + 1] > 0;
  }
  yes_ = ranks.FirstText(yes_);
  no_ = ranks.FirstText(no_);
  mark_ = ranks.FirstText(mark_);
}

void LabelWords::Resolve(std::span<std::int8_t> labels) const {
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k] != kEmptyCell) continue;
    labels[k] = columns_[k % columns_.size()].marked() ? 0 : -1;
  }
}

std::vector<std::string> LabelWords::Marked() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    if (column.marked()) names.push_back(column.name);
  }
  return names;
}

void LabelWords::AddNotes(std::vector<std::string>* notes) const {
  const bool marks = !mark_.empty() && !Marked().empty();
  const std::string& yes = yes_.empty() && !marks ? mark_ : yes_;
  std::string text;
  if (!yes.empty() || !no_.empty()) {
    text = (yes.empty() ? std::string("1") : Quoted(yes)) + " was taken for yes";
    if (!no_.empty()) text += ", " + Quoted(no_) + " for no";
  }
  if (marks) {
    text += (text.empty() ? "" : "; ") + Quoted(mark_) +
            " was taken for yes, empty for no in columns with such marks";
  }
  if (!text.empty()) notes->push_back("labels: " + text);
}

}  // namespace slackline::internal
