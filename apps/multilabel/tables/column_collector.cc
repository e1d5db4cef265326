// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/column_collector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

constexpr Index kMostTexts = 1000;
constexpr Offset kAlwaysFewTexts = 50;
constexpr Offset kValuesPerText = 10;
constexpr Offset kFewValues = 10;  // fewer cannot tell an identifier, or a mistake, from a category
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

const char* const kLeaveOut = "leave the column out by --ignore-columns";

}  // namespace

ColumnCollector::ColumnCollector(std::string source, std::string name)
    : source_(std::move(source)) {
  column_.name = std::move(name);
}

void ColumnCollector::Refuse(long line, const std::string& message,
                             const std::string& advice) const {
  throw DataError(source_, line,
                  "column " + Quoted(column_.name) + " " + message + "; " + advice + kLeaveOut);
}

ColumnCollector::Text ColumnCollector::MakeText(std::string_view text, long line) const {
  Text fact;
  fact.line = line;
  const CellKind kind = ParseCell(text, &fact.number);
  if (kind == CellKind::kTooLarge || kind == CellKind::kNotFinite) {
    throw DataError(source_, line,
                    "value " + Quoted(text) + " of column " + Quoted(column_.name) +
                        (kind == CellKind::kTooLarge ? " is too large (more than 1e50)"
                                                     : " is not a finite number"));
  }
  fact.is_number = kind == CellKind::kNumber;
  return fact;
}

void ColumnCollector::Note(double number) {
  if (num_known_ == 0) first_ = number;
  counts_up_ = counts_up_ && number == first_ + static_cast<double>(num_known_);
}

void ColumnCollector::Add(std::string_view text, long line) {
  if (IsMissingText(text)) {
    ++num_missing_;
    counts_up_ = false;
    if (wide_) {
      wide_values_.push_back(kMissing);
    } else {
      codes_.push_back(kAbsent);
    }
    return;
  }
  if (wide_) {
    AddNumber(text, line);
    return;
  }
  const Index code = texts_.Add(text);
  if (code == std::ssize(facts_)) facts_.push_back(MakeText(text, line));
  Text& fact = facts_[code];
  ++fact.count;
  codes_.push_back(code);
  counts_up_ = counts_up_ && fact.is_number;
  if (counts_up_) Note(fact.number);
  ++num_known_;
  if (texts_.size() > kMostTexts) Widen();
}

void ColumnCollector::AddNumber(std::string_view text, long line) {
  const Text fact = MakeText(text, line);
  if (!fact.is_number) RefuseMixture(text, line, num_known_);
  Note(fact.number);
  wide_values_.push_back(fact.number);
  ++num_known_;
}

/// From here on, stores a number per row: there are too many different texts for categories.
void ColumnCollector::Widen() {
  if (!std::all_of(facts_.begin(), facts_.end(), [](const Text& text) { return text.is_number; }))
    CheckTexts(true);
  for (const Index code : codes_)
    wide_values_.push_back(code == kAbsent ? kMissing : facts_[code].number);
  wide_ = true;
  codes_ = {};
  texts_ = {};
  facts_ = {};
}

/// Throws DataError. `numbers`: how many of the known values before `text` are numbers.
void ColumnCollector::RefuseMixture(std::string_view text, long line, Offset numbers) const {
  throw DataError(source_, line,
                  "value " + Quoted(text) + " of column " + Quoted(column_.name) +
                      " is not a number, but " + std::to_string(numbers) +
                      " others are; correct it, leave it empty (missing), or " + kLeaveOut);
}

/// Throws DataError when the texts cannot be categories. Requires that not all of them are numbers.
/// too_many: there are more of them than any column may have.
void ColumnCollector::CheckTexts(bool too_many) const {
  Offset numbers = 0;
  Index different_numbers = 0;
  bool dates = true;
  bool decimal_commas = true;
  Index example = kAbsent;
  for (Index t = 0; t < texts_.size(); ++t) {
    const Text& fact = facts_[t];
    if (fact.is_number) {
      numbers += fact.count;
      ++different_numbers;
      continue;
    }
    if (example == kAbsent) example = t;
    dates = dates && LooksLikeDate(texts_.text(t));
    decimal_commas = decimal_commas && HasDecimalComma(texts_.text(t));
  }
  const long line = facts_[example].line;
  const std::string value = Quoted(texts_.text(example));
  if (decimal_commas)
    Refuse(line, "has a number with a decimal comma, " + value, "write numbers with a point, or ");
  if (dates) Refuse(line, "has dates or times, such as " + value, "turn them into numbers, or ");
  if (10 * numbers >= 9 * num_known_ && different_numbers > kFewValues)
    RefuseMixture(texts_.text(example), line, numbers);
  const Offset most = std::max(kAlwaysFewTexts, num_known_ / kValuesPerText);
  if (!too_many && texts_.size() == num_known_ && num_known_ > kFewValues)
    Refuse(line, "has a different text in every row, such as " + value, "");
  if (too_many || texts_.size() > most)
    Refuse(line,
           "has " + std::to_string(texts_.size()) +
               (too_many ? " different texts and more" : " different texts") + ", such as " +
               value + ", too many for categories",
           "");
}

void ColumnCollector::MakeCategories() {
  std::vector<Index> order(texts_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return texts_.text(a) < texts_.text(b); });
  ranks_.resize(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    ranks_[order[rank]] = static_cast<Index>(rank);
    column_.categories.emplace_back(texts_.text(order[rank]));
  }
}

void ColumnCollector::Finish() {
  if (!std::all_of(facts_.begin(), facts_.end(), [](const Text& text) { return text.is_number; })) {
    CheckTexts(false);
    MakeCategories();
    return;
  }
  double sum = 0;
  for (const Index code : codes_) sum += code == kAbsent ? 0 : facts_[code].number;
  for (const double value : wide_values_) sum += std::isnan(value) ? 0 : value;
  if (num_known_ > 0)
    mean_ = std::clamp(sum / static_cast<double>(num_known_), -kLargestValue, kLargestValue);
}

bool ColumnCollector::counts_up() const {
  return counts_up_ && num_known_ >= kFewValues && first_ == std::floor(first_);
}

void ColumnCollector::Put(Index row, std::size_t number, TableRows* rows) const {
  if (wide_) {
    const double value = wide_values_[row];
    rows->SetNumber(number, std::isnan(value) ? mean_ : value);
    return;
  }
  const Index code = codes_[row];
  if (column_.categorical()) {
    if (code != kAbsent) rows->SetCategory(number, ranks_[code]);
  } else {
    rows->SetNumber(number, code == kAbsent ? mean_ : facts_[code].number);
  }
}

double ColumnCollector::bytes() const {
  return 4.0 * static_cast<double>(codes_.size()) + 8.0 * static_cast<double>(wide_values_.size());
}

}  // namespace slackline::internal
