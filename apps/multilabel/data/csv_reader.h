// SPDX-License-Identifier: BSD-3-Clause
//
// Tables (CSV, TSV) as multi-label data; see apps/multilabel/data/multilabel_data.h.
#pragma once

#include <memory>
#include <string_view>

#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

/// A reader of `line`, which was just taken from `reader`, and of all that follow. Reader and
/// options must live as long. Errors as of ReadMultiLabelData. Cost: linear in the text. Training
/// keeps 4 to 8 bytes a cell until the last row is read (types are not known before); its examples
/// come from Finish alone. Rows are dense, but sparse where TableSchema::sparse says so.
std::unique_ptr<MultiLabelReader> MakeCsvReader(LineReader* reader, std::string_view line,
                                                const MultiLabelReadOptions& options);

}  // namespace slackline::internal
