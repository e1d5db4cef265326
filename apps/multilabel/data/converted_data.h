// SPDX-License-Identifier: BSD-3-Clause
//
// Converted multi-label data (apps/converted/converted_reader.h): a row for every example, whose
// labels are a byte each: 0, 1, or −1, unknown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <slackline/apps/converted/converted_writer.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>

namespace slackline::internal {

/// The entry "task" of the directory.
inline constexpr std::string_view kConvertedMultiLabel = "converted multilabel";

/// Converted data, in a file or in files part-… of a folder that agree in everything but their
/// examples. Ranks and shards, options and errors as for ReadMultiLabelData; the names, the
/// constant, the table and the scaling must be those of the options, as far as these give them.
/// Every block of the rank's rows is read once, and checked.
MultiLabelData ReadConverted(const std::string& path, const MultiLabelReadOptions& options);

/// The labels of an example for ConvertedWriter::Add.
inline std::string_view LabelBytes(std::span<const std::int8_t> labels) {
  return {reinterpret_cast<const char*>(labels.data()), labels.size()};
}

/// Ends the writing of data. `about`: names, numbers, notes, table and `converted` of the data; its
/// examples do not count.
void FinishConverted(const MultiLabelData& about, WindowChoice windows, ConvertedWriter* writer);

}  // namespace slackline::internal
