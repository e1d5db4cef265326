// SPDX-License-Identifier: BSD-3-Clause
//
// Records of CSV and TSV files as in RFC 4180: values in double quotes may contain the separator,
// line ends, and "" for a quote. Blanks around values, outside quotes, do not belong to the values.
// A quote inside an unquoted value is an ordinary character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/line_reader.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {

/// The separator of a table with this first line: comma, semicolon or tab, whichever occurs most
/// often outside quotes (among equals, the first of these). '\0' if none occurs.
char FindSeparator(std::string_view line);

/// The role of a line (record_deal.h). open: whether a quote is open before it.
LineRole RoleOfTableLine(std::string_view line, char separator, bool open);

class CsvRecords {
 public:
  /// The reader must outlive this object.
  CsvRecords(LineReader* reader, char separator) : reader_(*reader), separator_(separator) {}

  /// Reads the next record; false at the end of the file. Skips lines without text. Throws
  /// DataError when a closing quote is missing or followed by text.
  bool Next();
  /// The same for the record that begins with `line`, which was just taken from the reader.
  void Begin(std::string_view line);

  /// The values of the record: valid until the next record, never empty.
  const std::vector<std::string_view>& fields() const { return fields_; }
  /// The line on which the record begins.
  long line() const { return line_; }

 private:
  LineReader& reader_;
  char separator_;
  long line_ = 0;
  std::vector<std::string_view> fields_;
  std::string text_;      // all lines of a record with quotes
  std::string unquoted_;  // the values of this record, one after the other
};

/// The fields of a single record in a text, such as the value of an option. Throws DataError
/// (without a place) on wrong quotes.
std::vector<std::string> SplitCsvText(const std::string& text);

}  // namespace slackline::internal
