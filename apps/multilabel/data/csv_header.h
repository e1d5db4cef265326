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
  std::vector<std::string> names;  ///< distinct, except for columns without a name (empty)
  std::string file;
  long line = 0;
  char separator = ',';
};

/// The separator of a table that begins with `line`: a tab for kTsv; the separator of the model's
/// table if it yields one of the model's columns; else the result of FindSeparator, or a comma.
char TableSeparator(std::string_view line, const MultiLabelReadOptions& options);

/// The names in the record that begins with `line`, which was just taken from the reader. Throws
/// DataError on repeated names.
CsvHeader ReadCsvHeader(LineReader* reader, std::string_view line, char separator);

/// Throws DataError if all names are numbers, because the header is then missing.
void CheckHeaderIsThere(const CsvHeader& header);

/// Throws DataError unless the two headers, of files of one table, name the same columns in one
/// order.
void CheckSameHeader(const CsvHeader& header, const CsvHeader& other);

/// The same for a table whose column of classes is not given.
[[noreturn]] void FailWithoutClassColumn(const CsvHeader& header);

/// Throws the DataError for a table whose label columns are not given. The message names the last
/// columns of the table that look like labels, with values 0 and 1 only. Reads all remaining
/// records.
[[noreturn]] void FailWithoutLabelColumns(const CsvHeader& header, LineReader* reader);

/// Throws DataError unless the record has a value for every column and there is room for one more
/// example.
void CheckRow(const std::string& source, const CsvHeader& header, const CsvRecords& records,
              std::size_t rows_before);

}  // namespace slackline::internal
