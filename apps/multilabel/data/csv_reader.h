// SPDX-License-Identifier: BSD-3-Clause
//
// Tables (CSV, TSV) as multi-label data; see apps/multilabel/data/multilabel_data.h.
#pragma once

#include <memory>
#include <string_view>

#include <slackline/apps/multilabel/data/csv_header.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

/// A reader of `line`, which was just taken from `reader`, and of all following lines. `reader` and
/// `options` must outlive it. Throws DataError as ReadMultiLabelData does. Cost: linear in the
/// text. Training keeps 4 to 8 bytes per cell until the last row is read (with
/// options.columns_only: nothing), because types are not known before; the ranks agree on the types
/// then. Examples of training only come from Finish. Rows are dense unless TableSchema::sparse says
/// otherwise.
std::unique_ptr<MultiLabelReader> MakeCsvReader(LineReader* reader, std::string_view line,
                                                const MultiLabelReadOptions& options);

/// A reader of the rows after this header.
std::unique_ptr<MultiLabelReader> MakeCsvReader(LineReader* rows, const CsvHeader& header,
                                                const MultiLabelReadOptions& options);
/// The header that begins with `line`, which was just taken from the reader. Throws DataError when
/// it does not fit the options.
CsvHeader ReadCsvHead(LineReader* reader, std::string_view line,
                      const MultiLabelReadOptions& options);

}  // namespace slackline::internal
