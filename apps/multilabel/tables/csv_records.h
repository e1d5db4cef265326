// SPDX-License-Identifier: BSD-3-Clause
//
// Records of CSV and TSV files, as RFC 4180 has them: values in double quotes may contain the
// separator, line ends, and "" for a quote. Blanks around values, outside of quotes, are not part
// of them. A quote inside of a value that does not begin with one is an ordinary character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/line_reader.h>

namespace slackline::internal {

/// The separator of a table by its first line: of comma, semicolon and tab the one that occurs most
/// often outside of quotes (the first of these where several do). '\0' when none occurs.
char FindSeparator(std::string_view line);

class CsvRecords {
 public:
  /// The reader must live as long.
  CsvRecords(LineReader* reader, char separator) : reader_(*reader), separator_(separator) {}

  /// Reads the next record; false at the end of the file. Lines without text are skipped. Throws
  /// DataError when a closing quote is missing or followed by text.
  bool Next();
  /// The same for the record that begins with `line`, which was just taken from the reader.
  void Begin(std::string_view line);

  /// Valid until the next record; never empty.
  const std::vector<std::string_view>& fields() const { return fields_; }
  /// The line that the record begins on.
  long line() const { return line_; }

 private:
  LineReader& reader_;
  char separator_;
  long line_ = 0;
  std::vector<std::string_view> fields_;
  std::string text_;      // a record with quotes, all its lines
  std::string unquoted_;  // its values, one after the other
};

/// The fields of one record that is a text of its own, such as the value of an option. Throws
/// DataError (without a place) on wrong quotes.
std::vector<std::string> SplitCsvText(const std::string& text);

}  // namespace slackline::internal
