// SPDX-License-Identifier: BSD-3-Clause
//
// Converted data: a binary file of multi-label examples whose feature rows are used where they lie,
// in the page cache of the system, so that they can be larger than the memory. The constant and the
// scaling are part of the rows. Layout: docs/reference/converted_file.md.
#pragma once

#include <cstdint>
#include <string>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Rows of more bytes than this are visited window by window, unless the conversion chose.
inline constexpr std::int64_t kLeastBytesInWindows = 1'000'000'000;
/// Bytes of rows that are visited together, unless the conversion chose, …
inline constexpr std::int64_t kWindowBytes = 64'000'000;
/// … as so many windows of the file (kWindowsTogether of learning/step/window_ahead.h), which are
/// others in every pass.
inline constexpr std::int64_t kWindowParts = 16;

/// How rows are divided into windows (FeatureRows::SetWindows).
struct WindowChoice {
  /// > 0: bytes of the rows that are visited together; 0: all; −1: kWindowBytes if the rows have
  /// more than kLeastBytesInWindows, else all.
  std::int64_t bytes = -1;

  bool operator==(const WindowChoice&) const = default;
};

/// Whether a file begins as converted data do; of a folder, its first file part-…. Rank 0 looks,
/// and all ranks get what it finds.
bool IsConverted(Ranks& ranks, const std::string& path);

/// Converted data, in a file or in files part-… of a folder that agree in everything but their
/// examples. Ranks and shards, options and errors as for ReadMultiLabelData; the names, the
/// constant and the scaling must be those of the options, as far as these give them. Every block of
/// the rank's rows is read once, and checked.
MultiLabelData ReadConverted(const std::string& path, const MultiLabelReadOptions& options);

}  // namespace slackline::internal
