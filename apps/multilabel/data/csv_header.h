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

namespace slackline::internal {

struct CsvHeader {
  std::vector<std::string> names;  ///< different, but for columns without a name (empty)
  long line = 0;
};

/// The separator of a table that begins with `line`: a tab for kTsv; that of the model's table when
/// it leads to one of the model's columns; else what FindSeparator says, or a comma.
char TableSeparator(std::string_view line, const MultiLabelReadOptions& options);

/// The names of the record that `records` has just read. Throws DataError when a name occurs twice.
CsvHeader ReadCsvHeader(const std::string& source, const CsvRecords& records);

/// Throws DataError when all names are numbers: then the header is missing.
void CheckHeaderIsThere(const std::string& source, const CsvHeader& header);

/// Throws the DataError of a table whose label columns are not given: it names the columns at the
/// end of the table that look like labels, having values 0 and 1 only. Reads all records that are
/// left.
[[noreturn]] void FailWithoutLabelColumns(const std::string& source, const CsvHeader& header,
                                          CsvRecords* records);

/// Throws DataError unless the record has a value for every column, and is not one example too
/// many.
void CheckRow(const std::string& source, const CsvHeader& header, const CsvRecords& records,
              std::size_t rows_before);

}  // namespace slackline::internal
