// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/label_words.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Labels = std::vector<std::int8_t>;

/// The labels of one column, and the notes.
Labels ReadColumn(const std::vector<std::string>& texts, std::vector<std::string>* notes = nullptr,
                  const std::vector<std::string>& marked = {}) {
  LabelWords words({"sky"}, marked);
  Labels labels;
  long line = 2;
  for (const std::string& text : texts) labels.push_back(words.Add(0, text, "t.csv", line++));
  words.Resolve(labels);
  if (notes != nullptr) words.AddNotes(notes);
  return labels;
}

}  // namespace

TEST_CASE("words for yes and no, numbers and missing values are recognised") {
  using W = LabelWord;
  for (const char* text : {"1", "true", "TRUE", "1.0", "+1", "yes", "Y", "ja", "oui", "T", "on"})
    CHECK(ParseLabelWord(text) == W::kYes);
  for (const char* text : {"0", "false", "0.0", "-0", "no", "N", "Nein", "non", "F", "NEG"})
    CHECK(ParseLabelWord(text) == W::kNo);
  for (const char* text : {"x", "X", "\xe2\x9c\x93"}) CHECK(ParseLabelWord(text) == W::kMark);
  for (const char* text : {"-1", "-1.0"}) CHECK(ParseLabelWord(text) == W::kMinusOne);
  for (const char* text : {"?", "NA", "nan"}) CHECK(ParseLabelWord(text) == W::kUnknown);
  CHECK(ParseLabelWord("") == W::kEmpty);
  for (const char* text : {"2", "0.5", "maybe", "1e-400", "-2", "xx"})
    CHECK_FALSE(ParseLabelWord(text).has_value());
}

TEST_CASE("each column has its own words, of which notes tell the unusual ones") {
  std::vector<std::string> notes;
  CHECK(ReadColumn({"0", "1", "", "True", "NA"}, &notes) == Labels{0, 1, -1, 1, -1});
  CHECK(notes.empty());
  CHECK(ReadColumn({"nein", "ja", ""}, &notes) == Labels{0, 1, -1});
  CHECK(ReadColumn({"1", "-1", "", "+1"}, &notes) == Labels{1, 0, -1, 1});
  CHECK(ReadColumn({"", "x", "", "?"}, &notes) == Labels{0, 1, 0, -1});
  CHECK(ReadColumn({"", "x", "no"}, &notes) == Labels{-1, 1, 0});
  CHECK(ReadColumn({"", "1"}, &notes, {"sky"}) == Labels{0, 1});
  CHECK(notes == std::vector<std::string>{
                     "labels: 'ja' was taken for yes, 'nein' for no",
                     "labels: 1 was taken for yes, '-1' for no",
                     "labels: 'x' was taken for yes, empty for no in columns with such marks",
                     "labels: 'x' was taken for yes, 'no' for no"});
}

TEST_CASE("the columns of marks are known afterwards") {
  LabelWords words({"a", "b", "c"});
  Labels labels;
  for (const char* text : {"x", "1", "x", "", "0", "0"})
    labels.push_back(words.Add(static_cast<Index>(labels.size() % 3), text, "t.csv", 1));
  CHECK(words.Marked() == std::vector<std::string>{"a"});
  words.Resolve(labels);
  CHECK(labels == Labels{1, 1, 1, 0, 0, 0});
}

TEST_CASE("other texts, and -1 beside 0, are refused") {
  CHECK(MessageOf<DataError>([] {
          ReadColumn({"1", "maybe"});
        }) ==
        "t.csv:3: label 'sky' has the value 'maybe'; labels are 0 and 1, true and false, yes and "
        "no, -1 and 1, x and empty, or unknown (empty, NA, ?)");
  CHECK(MessageOf<DataError>([] {
          ReadColumn({"1", "-1", "0"});
        }) ==
        "t.csv:4: label 'sky' has both 0 and -1: leave cells empty where the label is not known");
}
