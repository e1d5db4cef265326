// SPDX-License-Identifier: BSD-3-Clause
//
// The first line of a table: its separator and the names of its columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

struct CsvHeader {
  /// Distinct, except for columns without a name (empty).
  std::vector<std::string> names;
  std::string file;
  long line = 0;
  char separator = ',';
};

/// The separator of a table that begins with `line`. In this order: the one of the options; the one
/// of a line `sep=;`, as Excel writes it; a tab for kTsv; the one that yields most of the columns
/// that the options or the model name; the result of FindSeparator; a comma.
char TableSeparator(std::string_view line, const MultiLabelReadOptions& options);

/// The names in the record that begins with `line`, which was just taken from the reader, or in the
/// record after it if the line is `sep=;`. Throws DataError on repeated names.
CsvHeader ReadCsvHeader(LineReader* reader, std::string_view line, char separator);

/// Throws DataError if all names are numbers, because the header is then missing.
void CheckHeaderIsThere(const CsvHeader& header);

/// Throws DataError unless the two headers, of files of one table, name the same columns in one
/// order.
void CheckSameHeader(const CsvHeader& header, const CsvHeader& other);

/// The same for a table without a given class column.
[[noreturn]] void FailWithoutClassColumn(const CsvHeader& header);

/// Throws the DataError for a table without given label columns. The message names the table's last
/// columns that look like labels, with values 0 and 1 only. Reads all remaining records.
[[noreturn]] void FailWithoutLabelColumns(const CsvHeader& header, LineReader* reader);

/// Throws DataError unless the record has a value for every column and there is room for one more
/// example. A last column without a name has no values: a separator at the end of a line makes such
/// a column, and rows may have it or not, whether the header has it or not.
void CheckRow(const std::string& source, const CsvHeader& header, const CsvRecords& records,
              std::size_t rows_before);

/// The value of a column in a record that CheckRow has passed.
inline std::string_view ValueAt(const CsvRecords& records, std::size_t column) {
  return column < records.fields().size() ? records.fields()[column] : std::string_view();
}

}  // namespace slackline::internal
