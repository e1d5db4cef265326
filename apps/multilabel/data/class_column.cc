// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/class_column.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr Offset kFewExamples = 10;  // fewer may all have different classes

}  // namespace

ClassColumn::ClassColumn(const std::vector<std::string>& known, bool strict, bool numbers)
    : strict_(strict), numbers_(numbers) {
  for (const std::string& name : known) names_.Add(name);
  num_known_ = names_.size();
}

void ClassColumn::Add(std::string_view text, const ClassPlace& place) {
  if (numbers_) {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!IsMissingText(text) && !(ParseNumber(text, &value) && std::abs(value) <= kLargestValue))
      throw DataError(
          place.file, place.line,
          "the number to predict is " + Quoted(text) + ", not a finite number of at most 1e50");
    values_.push_back(value);
    return;
  }
  if (IsMissingText(text)) {
    classes_.push_back(kUnlabelled);
    return;
  }
  const Index number = names_.Add(text);
  classes_.push_back(number);
  ++examples_;
  if (num_known_ == 0 || number < num_known_) return;
  if (strict_) {
    throw DataError(place.file, place.line,
                    "the class " + Quoted(text) + " is unknown to the model (--strict)");
  }
  if (unknown_++ == 0)
    first_unknown_ = Quoted(text) + " on line " + std::to_string(place.line) +
                     (place.file == place.source ? std::string() : " of " + place.file);
}

/// Joins the names of all ranks, in the order of the ranks.
void ClassColumn::Join(Ranks& ranks) {
  StringTable joined = JoinTexts(ranks, names_);
  for (Index& number : classes_) {
    if (number != kUnlabelled) number = joined.Find(names_.text(number));
  }
  names_ = std::move(joined);
  examples_ = ranks.SumOf(examples_);
  unknown_ = ranks.SumOf(unknown_);
  first_unknown_ = ranks.FirstText(first_unknown_);
}

void ClassColumn::Sort() {
  std::vector<std::pair<double, std::string>> names;
  bool numbers = true;
  for (std::string& name : Names()) {
    double value = 0;
    numbers = ParseNumber(name, &value) && numbers;
    names.emplace_back(value, std::move(name));
  }
  std::vector<Index> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return numbers ? names[a] < names[b] : names[a].second < names[b].second;
  });
  names_ = {};
  std::vector<Index> position(order.size());
  for (const Index k : order) position[k] = names_.Add(names[k].second);
  for (Index& number : classes_) number = number == kUnlabelled ? kUnlabelled : position[number];
}

void ClassColumn::Agree(Ranks& ranks, const std::string& source) {
  if (numbers_) return;
  if (!ranks.alone()) Join(ranks);
  if (num_known_ > 0) return;
  if (examples_ > kFewExamples && examples_ == names_.size()) {
    throw DataError(source, 0,
                    "all " + std::to_string(examples_) +
                        " examples have different classes, such as " + Quoted(names_.text(0)) +
                        ": are these names of examples, or numbers?");
  }
  Sort();
}

std::vector<std::string> ClassColumn::Names() const {
  std::vector<std::string> names;
  for (Index k = 0; k < names_.size(); ++k) names.emplace_back(names_.text(k));
  return names;
}

std::string ClassColumn::CountText() const {
  return numbers_ ? "one number" : std::to_string(num_names()) + " classes";
}

void ClassColumn::AddNotes(std::vector<std::string>* notes) const {
  if (unknown_ == 0) return;
  notes->push_back(Count(unknown_, "example") + (unknown_ == 1 ? " has a class" : " have classes") +
                   " unknown to the model (first " + first_unknown_ + ")");
}

}  // namespace slackline::internal
