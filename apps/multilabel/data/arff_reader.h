// SPDX-License-Identifier: BSD-3-Clause
//
// Mulan's ARFF; see apps/multilabel/data/multilabel_data.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <slackline/apps/multilabel/data/arff_header.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {

/// The role of a line after the declarations: an example, or nothing where there is at most a
/// comment.
LineRole RoleOfArffLine(std::string_view line);

/// A reader of `line`, which was just taken from `reader`, and of all following lines. `reader` and
/// `options` must outlive it. Throws DataError as ReadMultiLabelData does. Dense rows become dense
/// feature rows, sparse rows sparse ones. Cost: linear in the text; for nominal features times the
/// logarithm of their number of values. Training data with missing values are copied once, to fill
/// in the replacements.
std::unique_ptr<MultiLabelReader> MakeArffReader(LineReader* reader, std::string_view line,
                                                 const MultiLabelReadOptions& options);
/// A reader of the lines after these declarations.
std::unique_ptr<MultiLabelReader> MakeArffReader(LineReader* rows, const ArffHeader& header,
                                                 const MultiLabelReadOptions& options);
/// Throws DataError when neither the options nor the relation say which attributes are labels.
void CheckArffOptions(const ArffHeader& header, const MultiLabelReadOptions& options);

}  // namespace slackline::internal
