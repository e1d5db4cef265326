// SPDX-License-Identifier: BSD-3-Clause
//
// Converts the training images of a file of prepared images to a file that training maps
// (converted_images.h). One image is in memory at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <slackline/apps/converted/converted_values.h>
#include <slackline/apps/converted/converted_writer.h>
#include <slackline/apps/segmentation/segment_choices.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal {

struct ImageConversionOptions {
  /// `layers` and `regions` count, `potentials` do not. Files for `two` also serve `neighbours`.
  SegmentChoices choices;
  std::optional<ScaleKind> scale;  ///< nullopt: auto
  WindowChoice windows;
  ConversionProgress progress = [](std::string_view, Index) {};
};

struct ImageConversion {
  Index num_images = 0;
  Offset num_rows = 0;  ///< superpixels
  Index num_features = 0;
  Index num_classes = 0;
  ConvertedValues values;
  std::uint64_t bytes = 0;  ///< of the images
  Index num_files = 1;
};

/// Converts the images at `path` to the target, which appears complete or not at all. If the rows
/// are in one window and the scales are learned without shards, training on it gives the model of
/// training on the prepared images, bit for bit, with the same choices. Throws DataError when the
/// file is damaged or has no training images, and when the disk refuses.
ImageConversion ConvertImages(const std::string& path, const ConvertedTarget& target,
                              const ImageConversionOptions& options);

}  // namespace slackline::internal
