// SPDX-License-Identifier: BSD-3-Clause
//
// Converts multi-label data in text to a file that training maps (converted_data.h). The program
// reads the data once, from a file, a folder or the standard input. They may be larger than the
// memory: it keeps only numbers per feature, 32 bytes per example and a few megabytes. Then it
// learns the scales from the file and scales the rows in place. Tables (CSV) are read twice,
// because the types of their columns are only known after the last row.
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
  /// For training, with `constant`, or for the predictions of a model; the rows then get the
  /// model's constant and scaling. One rank.
  MultiLabelReadOptions read;
  std::optional<ScaleKind> scale;  ///< for training; nullopt: auto
  WindowChoice windows;
  ConversionProgress progress = [](std::string_view, Index) {};
};

struct Conversion {
  /// Describes the data, but has no examples; `converted` says how they were scaled.
  MultiLabelData about;
  Index num_examples = 0;
  std::uint64_t bytes = 0;  ///< of the examples
  Index num_files = 1;
};

/// Converts the data at `path` to the target, which appears complete or not at all
/// (ConvertedWriter). If the rows are in one window and the scales are learned without shards,
/// training on the target gives the model of training on the text with the same options, bit for
/// bit. Throws DataError as ReadMultiLabelData does, on a table that is neither file nor folder, or
/// changes between its two readings; and when the disk refuses.
Conversion ConvertMultiLabelData(const std::string& path, const ConvertedTarget& target,
                                 const ConversionOptions& options);

}  // namespace slackline::internal
