// SPDX-License-Identifier: BSD-3-Clause
//
// Converts multi-label data in text to a file that training maps (converted_data.h). The data are
// read once, from a file, a folder or the standard input, and may be larger than the memory: only
// numbers per feature, 32 bytes per example and a few megabytes are kept. Scales are then learned
// from the file, and its rows are scaled in place. Tables (CSV) are read twice: the types of their
// columns are only known after the last row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/converted/converted_writer.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal {

struct ConversionOptions {
  /// For training, with append_constant, or for the predictions of a model, whose constant and
  /// scaling the rows get. One rank.
  MultiLabelReadOptions read;
  std::optional<ScaleKind> scale;  ///< for training; nullopt: auto
  WindowChoice windows;
  ConversionProgress progress = [](std::string_view, Index) {};
};

struct Conversion {
  /// Of the data, without the examples; `converted` says how they were scaled.
  MultiLabelData about;
  Index num_examples = 0;
  std::uint64_t bytes = 0;  ///< of the examples
  Index num_files = 1;
};

/// Converts the data at `path` to the target, which appears complete or not at all
/// (ConvertedWriter). Training on it gives the model of training on the text with the same options,
/// bit for bit, if the rows are in one window, and the scales are learned without shards. Throws
/// DataError as ReadMultiLabelData does, on a table that is no file or folder, or changes between
/// its two readings, and when the disk refuses.
Conversion ConvertMultiLabelData(const std::string& path, const ConvertedTarget& target,
                                 const ConversionOptions& options);

}  // namespace slackline::internal
