// SPDX-License-Identifier: BSD-3-Clause
//
// Mulan's ARFF; see core/multilabel_data.h.
#pragma once

#include <string_view>

#include <slackline/core/line_reader.h>
#include <slackline/core/multilabel_data.h>

namespace slackline {

/// Reads `line`, which was just taken from `reader`, and all that follow. Errors as of ReadMultiLabelData.
/// Dense rows become dense feature rows, sparse rows sparse ones. Cost: linear in the text; for nominal
/// features times the logarithm of the number of their values.
MultiLabelData ReadArff(LineReader* reader, std::string_view line, const MultiLabelReadOptions& options);

}  // namespace slackline
