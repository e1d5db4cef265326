// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/table_text.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

CellKind KindOf(std::string_view text) {
  double value = 0;
  return ParseCell(text, &value);
}

}  // namespace

TEST_CASE("missing values are recognised") {
  for (const char* text : {"", "NA", "na", "N/A", "n/a", "NaN", "nan", "NAN", "?"})
    CHECK(IsMissingText(text));
  for (const char* text : {"0", "none", "N", "nana", "??", " "}) CHECK_FALSE(IsMissingText(text));
}

TEST_CASE("numbers are distinguished from texts that look like numbers") {
  for (const char* text : {"0", "-1.5", "+2", "1e50", ".5", "3.", "1e-300"})
    CHECK(KindOf(text) == CellKind::kNumber);
  for (const char* text : {"1.1e50", "-1e300"}) CHECK(KindOf(text) == CellKind::kTooLarge);
  for (const char* text : {"inf", "-Inf", "+INFINITY", "1e999", "-1e999"})
    CHECK(KindOf(text) == CellKind::kNotFinite);
  for (const char* text : {"a", "1,5", "0x10", "1 000", "--1", "1e", "12:30", "infant"})
    CHECK(KindOf(text) == CellKind::kText);
}

TEST_CASE("dates and times are recognised") {
  for (const char* text :
       {"2024-01-31", "2024/1/3", "31.01.2024", "1.2.2024", "01/31/2024", "1/31/24", "31-01-2024",
        "2024-01-31T12:30:05Z", "2024-01-31 12:30", "2024-01-31 12:30:05.123+02:00",
        "01/31/2024 3:30 PM", "12:30", "3:30 pm", "23:59:59"})
    CHECK_MESSAGE(LooksLikeDate(text), text);
  for (const char* text : {"", "2024", "1.2.3", "2024-01", "a", "31.01.24x", "1/2", "2024-01/31",
                           "16:9", "2024-01-31 noon", "12:30 or so", "192.168.0.1", "2024-01-31T"})
    CHECK_MESSAGE(!LooksLikeDate(text), text);
}

TEST_CASE("decimal commas are recognised") {
  for (const char* text : {"1,5", "-12,75", "0,0"}) CHECK(HasDecimalComma(text));
  for (const char* text : {"1", "1.5", ",5", "5,", "1,2,3", "a,b", ""})
    CHECK_FALSE(HasDecimalComma(text));
}

TEST_CASE("counts of columns in a sentence name at most eight of them") {
  CHECK(ColumnCountsText("missing value", {{"age", 1}}) == "1 missing value in 1 column (age 1)");
  std::vector<std::pair<std::string, Offset>> counts;
  for (char c = 'a'; c <= 'j'; ++c) counts.emplace_back(std::string(1, c), 2);
  CHECK(ColumnCountsText("value", counts) ==
        "20 values in 10 columns (a 2, b 2, c 2, d 2, e 2, f 2, g 2, h 2, and 2 more)");
}
