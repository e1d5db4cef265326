// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/column_collector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
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

struct ColumnCollector::Facts {
  Offset known = 0;
  Offset missing = 0;
  Index texts = 0;
  double first = 0;
  bool counts_up = false;
  bool wide = false;
  NumberForm form;
};

ColumnCollector::ColumnCollector(std::string name, const ColumnOptions& options)
    : options_(options) {
  column_.name = std::move(name);
}

void ColumnCollector::Refuse(const Text& place, const std::string& message,
                             const std::string& advice) const {
  throw DataError(place.file, place.line,
                  "column " + Quoted(column_.name) + " " + message + "; " + advice + kLeaveOut);
}

ColumnCollector::Text ColumnCollector::MakeText(std::string_view text, const std::string& file,
                                                long line, Offset count) const {
  Text fact;
  fact.file = file;
  fact.line = line;
  fact.count = count;
  const CellKind kind = ParseNumberCell(text, column_.form, &fact.number);
  if (kind == CellKind::kTooLarge || kind == CellKind::kNotFinite) {
    throw DataError(file, line,
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

void ColumnCollector::Add(std::string_view text, const std::string& file, long line) {
  if (IsMissingText(text)) {
    ++num_missing_;
    counts_up_ = false;
    if (!options_.keep_values) return;
    if (wide_) {
      wide_values_.push_back(kMissing);
    } else {
      codes_.push_back(kAbsent);
    }
    return;
  }
  if (wide_) {
    AddNumber(text, file, line);
    return;
  }
  const Index code = texts_.Add(text);
  if (code == std::ssize(facts_)) facts_.push_back(MakeText(text, file, line));
  Text& fact = facts_[code];
  ++fact.count;
  sum_ += fact.number;
  if (options_.keep_values) codes_.push_back(code);
  counts_up_ = counts_up_ && fact.is_number;
  if (counts_up_) Note(fact.number);
  ++num_known_;
  if (texts_.size() > kMostTexts) Widen();
}

void ColumnCollector::AddNumber(std::string_view text, const std::string& file, long line) {
  if (IsMissingNumber(text)) {
    ++num_missing_;
    counts_up_ = false;
    if (options_.keep_values) wide_values_.push_back(kMissing);
    return;
  }
  const Text fact = MakeText(text, file, line);
  if (!fact.is_number) RefuseMixture(text, fact, num_known_);
  Note(fact.number);
  sum_ += fact.number;
  if (options_.keep_values) wide_values_.push_back(fact.number);
  ++num_known_;
}

/// From here on, stores a number per row: there are too many different texts for categories.
void ColumnCollector::Widen() {
  DecideNumbers();
  if (!AllNumbers()) CheckTexts(true);
  for (const Index code : codes_)
    wide_values_.push_back(IsKnown(code) ? facts_[code].number : kMissing);
  wide_ = true;
  codes_ = {};
  texts_ = {};
  facts_ = {};
}

/// Decides whether the texts so far are numbers, of whatever form, and missing values among them.
void ColumnCollector::DecideNumbers() {
  if (options_.categorical || AllNumbers()) return;
  std::vector<std::string_view> texts;  // that are not missing values of numbers
  bool all = true;
  for (Index t = 0; t < texts_.size(); ++t) {
    if (IsMissingNumber(texts_.text(t))) continue;
    texts.push_back(texts_.text(t));
    all = all && facts_[t].is_number;
  }
  if (texts.empty()) return;
  if (!all) {
    const std::optional<NumberForm> form = FindForm(texts, options_.decimal_comma);
    if (!form) return;
    column_.form = *form;
    sum_ = 0;
    counts_up_ = false;
  }
  for (Index t = 0; t < texts_.size(); ++t) {
    Text& fact = facts_[t];
    if (IsMissingNumber(texts_.text(t))) {
      fact.missing = true;
      num_missing_ += fact.count;
      num_known_ -= fact.count;
    } else if (!all) {
      fact = MakeText(texts_.text(t), fact.file, fact.line, fact.count);
      sum_ += fact.number * static_cast<double>(fact.count);
      if (example_.empty() && !fact.missing) example_ = texts_.text(t);
    }
  }
}

/// Throws DataError. `numbers`: how many of the known values before `text` are numbers.
void ColumnCollector::RefuseMixture(std::string_view text, const Text& place,
                                    Offset numbers) const {
  throw DataError(place.file, place.line,
                  "value " + Quoted(text) + " of column " + Quoted(column_.name) +
                      " is not a number, but " + std::to_string(numbers) +
                      " others are; correct it, leave it empty (missing), " + kLeaveOut +
                      ", or say that its texts are categories by --categories");
}

/// Throws DataError when the texts cannot be categories. Requires that some text is not a number.
/// too_many: there are more texts than any column may have. other_numbers: the number of values on
/// ranks that only know that their values are numbers, with too many different ones for categories.
void ColumnCollector::CheckTexts(bool too_many, Offset other_numbers) const {
  Offset numbers = other_numbers;
  bool dates = true;
  bool decimal_commas = true;
  Index example = kAbsent;
  for (Index t = 0; t < texts_.size(); ++t) {
    const Text& fact = facts_[t];
    if (fact.is_number) {
      numbers += fact.count;
      continue;
    }
    if (IsMissingNumber(texts_.text(t))) continue;
    if (example == kAbsent) example = t;
    dates = dates && LooksLikeDate(texts_.text(t));
    decimal_commas = decimal_commas && HasDecimalComma(texts_.text(t));
  }
  dates = dates && example != kAbsent;
  decimal_commas = decimal_commas && example != kAbsent;
  if (example == kAbsent) example = 0;  // numbers and missing ones that are said to be categories
  const Text& place = facts_[example];
  const std::string value = Quoted(texts_.text(example));
  dates = dates && numbers < num_known_;
  decimal_commas = decimal_commas && numbers < num_known_;
  if (decimal_commas)
    Refuse(place, "has a number with a decimal comma, " + value,
           "read such numbers by --decimal-comma, write them with a point, or ");
  if (dates) Refuse(place, "has dates or times, such as " + value, "turn them into numbers, or ");
  if (2 * numbers > num_known_ && !options_.categorical)
    RefuseMixture(texts_.text(example), place, numbers);
  const Offset most = std::max(kAlwaysFewTexts, num_known_ / kValuesPerText);
  if (!too_many && texts_.size() == num_known_ && num_known_ > kFewValues)
    Refuse(place, "has a different text in every row, such as " + value, "");
  if (too_many || texts_.size() > most)
    Refuse(place,
           "has " + std::to_string(too_many ? kMostTexts + 1 : texts_.size()) +
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

bool ColumnCollector::AllNumbers() const {
  return !(options_.categorical && !facts_.empty()) &&
         std::all_of(facts_.begin(), facts_.end(),
                     [](const Text& text) { return text.is_number || text.missing; });
}

/// The counts over all ranks. Ranks without values do not vote.
void ColumnCollector::AgreeOnCounts(const std::vector<Facts>& facts) {
  num_known_ = 0;
  num_missing_ = 0;
  counts_up_ = true;
  for (const Facts& other : facts) {
    if (num_known_ == 0) first_ = other.first;
    const bool follows =
        other.known == 0 || other.first == first_ + static_cast<double>(num_known_);
    counts_up_ = counts_up_ && other.counts_up && follows;
    num_known_ += other.known;
    num_missing_ += other.missing;
  }
}

/// Joins the texts of all ranks, in the order of their first occurrences.
void ColumnCollector::JoinTexts(Ranks& ranks, const std::vector<Facts>& facts) {
  struct Sent {
    std::size_t text_bytes = 0;
    std::size_t file_bytes = 0;
    double number = 0;
    long line = 0;
    Offset count = 0;
    bool is_number = false;
  };
  std::vector<Sent> mine;
  std::string bytes;
  for (Index t = 0; t < texts_.size(); ++t) {
    const Text& fact = facts_[t];
    mine.push_back({texts_.text(t).size(), fact.file.size(), fact.number, fact.line, fact.count,
                    fact.is_number});
    bytes.append(texts_.text(t)).append(fact.file);
  }
  const std::vector<Sent> all = ranks.Join(std::span<const Sent>(mine));
  const std::vector<char> all_bytes = ranks.Join(std::span<const char>(bytes));
  texts_ = {};
  facts_ = {};
  std::vector<Index> joined;  // the new numbers of the texts of all ranks
  const char* next = all_bytes.data();
  for (const Sent& sent : all) {
    const Index t = texts_.Add({next, sent.text_bytes});
    next += sent.text_bytes;
    if (t == std::ssize(facts_)) {
      facts_.push_back({sent.is_number, sent.number, {next, sent.file_bytes}, sent.line, 0});
    }
    next += sent.file_bytes;
    facts_[t].count += sent.count;
    joined.push_back(t);
  }
  Offset before = 0;
  for (int r = 0; r < ranks.rank(); ++r) before += facts[r].texts;
  for (Index& code : codes_) code = code == kAbsent ? kAbsent : joined[before + code];
}

void ColumnCollector::Agree(Ranks& ranks) {
  const std::vector<Facts> facts = ranks.Gather(
      Facts{num_known_, num_missing_, texts_.size(), first_, counts_up_, wide_, column_.form});
  AgreeOnCounts(facts);
  JoinTexts(ranks, facts);
  Offset wide_numbers = 0;
  for (const Facts& other : facts) wide_numbers += other.wide ? other.known : 0;
  if (wide_numbers == 0 && texts_.size() <= kMostTexts) return;
  for (const Facts& other : facts) {
    if (other.wide) column_.form = other.form;
  }
  for (const Facts& other : facts) {
    if (other.wide && !(other.form == column_.form))
      throw DataError("column " + Quoted(column_.name) +
                      " has numbers of several forms, such as 1.5 and 10%; " + kLeaveOut);
  }
  if (wide_numbers > 0) {
    for (Index t = 0; t < texts_.size(); ++t) {
      if (!facts_[t].is_number)
        facts_[t] = MakeText(texts_.text(t), facts_[t].file, facts_[t].line, facts_[t].count);
    }
  }
  DecideNumbers();
  if (!AllNumbers()) CheckTexts(true, wide_numbers);
  Widen();
}

void ColumnCollector::Finish(Ranks& ranks) {
  if (!ranks.alone()) Agree(ranks);
  DecideNumbers();
  if (AllNumbers()) return;
  for (Index t = 0; t < texts_.size(); ++t) {
    if (facts_[t].is_number) {
      mixed_numbers_ += facts_[t].count;
    } else if (example_.empty()) {
      example_ = texts_.text(t);
    }
  }
  CheckTexts(false);
  MakeCategories();
}

double ColumnCollector::AddTo(double sum) const {
  if (column_.categorical()) return 0;
  if (!options_.keep_values) return sum + sum_;
  for (const Index code : codes_) sum += IsKnown(code) ? facts_[code].number : 0;
  for (const double value : wide_values_) sum += std::isnan(value) ? 0 : value;
  return sum;
}

void ColumnCollector::SetSum(double sum) {
  if (num_known_ > 0 && !column_.categorical())
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
    rows->SetNumber(number, IsKnown(code) ? facts_[code].number : mean_);
  }
}

void ColumnCollector::AddNotes(std::vector<std::string>* notes) const {
  const std::string name = "column " + Quoted(column_.name);
  if (counts_up()) {
    notes->push_back(name + " only counts the rows; --ignore-columns leaves it out");
  }
  if (!column_.form.plain() && !example_.empty()) {
    notes->push_back(name + ": " + Quoted(example_) + " is read as " +
                     NumberText(*ParseForm(example_, column_.form)));
  }
  if (column_.categorical() && mixed_numbers_ > 0 && !options_.categorical) {
    notes->push_back(name + " has " + Count(mixed_numbers_, "number") + " and " +
                     std::to_string(num_known_ - mixed_numbers_) + " times other texts, " +
                     Quoted(example_) + " for example: taken for categories");
  }
}

double ColumnCollector::bytes() const {
  return 4.0 * static_cast<double>(codes_.size()) + 8.0 * static_cast<double>(wide_values_.size());
}

}  // namespace slackline::internal
