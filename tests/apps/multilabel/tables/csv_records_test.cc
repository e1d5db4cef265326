// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/csv_records.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Fields = std::vector<std::string>;

struct Record {
  Fields fields;
  long line;
  bool operator==(const Record&) const = default;
};

std::vector<Record> ReadRecords(const std::string& text, char separator = ',',
                                std::size_t longest = 1000) {
  const TemporaryFolder folder;
  LineReader reader(folder.Write("t.csv", text), longest);
  CsvRecords records(&reader, separator);
  std::vector<Record> all;
  while (records.Next())
    all.push_back({{records.fields().begin(), records.fields().end()}, records.line()});
  return all;
}

std::string RecordsError(const std::string& text) {
  return ErrorIn("t.csv", [&] { ReadRecords(text); });
}

}  // namespace

TEST_CASE("plain fields lose surrounding blanks, and blank lines are not records") {
  CHECK(ReadRecords("a, b ,\tc d\r\n\r\n  \n1,,\n") ==
        std::vector<Record>{{{"a", "b", "c d"}, 1}, {{"1", "", ""}, 4}});
  CHECK(ReadRecords("a;b,c\n", ';') == std::vector<Record>{{{"a", "b,c"}, 1}});
  CHECK(ReadRecords("a\t b\n\t\n", '\t') == std::vector<Record>{{{"a", "b"}, 1}, {{"", ""}, 2}});
}

TEST_CASE("quoted fields keep separators, blanks, quotes and line ends") {
  CHECK(ReadRecords("\"a,b\", \"c\"\"d\" ,\" e \"\n") ==
        std::vector<Record>{{{"a,b", "c\"d", " e "}, 1}});
  CHECK(ReadRecords("x,\"1\n2\r\n\n3\",y\nz\n") ==
        std::vector<Record>{{{"x", "1\n2\n\n3", "y"}, 1}, {{"z"}, 5}});
  CHECK(ReadRecords("\"\",\"\"\"\"\n") == std::vector<Record>{{{"", "\""}, 1}});
}

TEST_CASE("a quote inside of a plain field is a character") {
  CHECK(ReadRecords("5\" pipe,a\"b\"c\n") == std::vector<Record>{{{"5\" pipe", "a\"b\"c"}, 1}});
}

TEST_CASE("wrong quotes are refused on the line where the record begins") {
  CHECK(RecordsError("a\nb,\"c\nd\n") == "t.csv:2: the closing quote of a value is missing");
  CHECK(RecordsError("a\n\"b\"c,d\n") == "t.csv:2: text after a closing quote: 'c'");
  const std::string message = MessageOf<DataError>(
      [] { ReadRecords("\"" + std::string(20, 'a') + "\n" + std::string(20, 'b'), ',', 30); });
  CHECK(
      Contains(message, "t.csv:1: the record is longer than 30 bytes: a closing quote is missing"));
}

TEST_CASE("the separator is the most frequent candidate outside quotes") {
  CHECK(FindSeparator("a,b;c,d") == ',');
  CHECK(FindSeparator("a;\"b,c,d\";e") == ';');
  CHECK(FindSeparator("a\tb") == '\t');
  CHECK(FindSeparator("a;b,c") == ',');
  CHECK(FindSeparator("abc") == '\0');
}

TEST_CASE("texts of options are split like records") {
  CHECK(SplitCsvText("a, \"b,c\" ,d") == Fields{"a", "b,c", "d"});
  CHECK(SplitCsvText("") == Fields{""});
  CHECK(MessageOf<DataError>([] { SplitCsvText("a,\"b"); }) ==
        "a closing quote is missing: 'a,\"b'");
  CHECK(MessageOf<DataError>([] { SplitCsvText("\"a\"b"); }) == "text after a closing quote: 'b'");
}
