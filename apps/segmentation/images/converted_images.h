// SPDX-License-Identifier: BSD-3-Clause
//
// Converted images (apps/converted/converted_reader.h): a dense row for every superpixel, first the
// fine superpixels of an image, then its coarse ones (unless the models have none). The label bytes
// of an image's first row have all else that training needs of the image; other rows have no label
// bytes. Pixels are not in the file, only their numbers by class.
#pragma once

#include <string>
#include <string_view>

#include <slackline/apps/converted/converted_writer.h>
#include <slackline/apps/segmentation/segment_choices.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/segmentation/segment_task.h>

namespace slackline::internal {

/// The entry "task" of the directory.
inline constexpr std::string_view kConvertedImages = "converted segmentation";

/// An image of a rank. The rows of the data have its features.
struct ConvertedImage {
  std::string name;
  SegmentExample example;  ///< first_row does not count
};

/// The label bytes of the first row of an image.
std::string ImageBytes(const ConvertedImage& image);
/// The image with these label bytes; whether they are valid.
bool ReadImageBytes(std::string_view bytes, Index num_classes, ConvertedImage* image);

/// A model for the file with all weights zero, and the images of this rank. Ranks and shards as for
/// LoadSegmentTask. Reads and checks every block of the rank's rows once. Throws the same DataError
/// on all ranks when the file is damaged, or was converted for other layers or regions.
SegmentTask LoadConvertedTask(const std::string& path, const SegmentChoices& choices,
                              std::optional<ScaleKind> scale, Ranks* ranks, Index shards);

/// Ends the writing of images for such models; `values` have the option "regions".
void FinishConverted(const SegmentModel& model, const ConvertedValues& values, WindowChoice windows,
                     ConvertedWriter* writer);

}  // namespace slackline::internal
