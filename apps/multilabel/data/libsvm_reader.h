// SPDX-License-Identifier: BSD-3-Clause
//
// LIBSVM's multi-label format; see apps/multilabel/data/multilabel_data.h.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {

/// An example, or nothing where the line has no text besides a comment.
LineRole RoleOfLibsvmLine(std::string_view line);

/// A reader of `line`, if any, which was just taken from `reader`, and of all following lines.
/// `reader` and `options` must outlive it. Throws DataError as ReadMultiLabelData does. Cost:
/// linear in the text, about 0.1 µs per non-zero; two copies of the non-zeros exist while it runs.
std::unique_ptr<MultiLabelReader> MakeLibsvmReader(LineReader* reader,
                                                   std::optional<std::string_view> line,
                                                   const MultiLabelReadOptions& options);

}  // namespace slackline::internal
