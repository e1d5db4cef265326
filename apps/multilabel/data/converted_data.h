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

/// Converted data in a file, or in files part-… of a folder that agree in everything but their
/// examples. Ranks, shards, options and errors are as for ReadMultiLabelData. The names, the
/// constant, the table and the scaling must be those of the options, where the options have them.
/// Reads and checks every block of the rank's rows once.
MultiLabelData ReadConverted(const std::string& path, const MultiLabelReadOptions& options);

/// The labels of an example for ConvertedWriter::Add.
inline std::string_view LabelBytes(std::span<const std::int8_t> labels) {
  return {reinterpret_cast<const char*>(labels.data()), labels.size()};
}

/// Ends the writing of data. `about`: the names, numbers, notes, table and `converted` of the data;
/// its examples do not count.
void FinishConverted(const MultiLabelData& about, WindowChoice windows, ConvertedWriter* writer);

}  // namespace slackline::internal
