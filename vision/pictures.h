// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures for people: colours of classes, overlays with a legend, sheets of image, truth and
// prediction, confusion matrices.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <slackline/vision/image.h>

namespace slackline::internal {

/// 256 colours, three bytes each, for the values of label images: well told apart for the first
/// classes; void is black.
std::vector<std::uint8_t> ClassPalette(const LabelCoding& coding = LabelCoding());

/// The image with its classes' colours over it, borders between classes drawn, and below it a
/// legend of the classes that occur. As wide as the image, but at least 80 pixels; the image is in
/// the upper left corner.
Image Overlay(const Image& image, const LabelImage& labels, std::span<const std::string> classes);

/// Image, truth and prediction side by side, with one legend. `truth` may be empty (0 × 0).
Image Sheet(const Image& image, const LabelImage& truth, const LabelImage& prediction,
            std::span<const std::string> classes);

/// counts: classes × classes pixels, row = truth, column = prediction. Rows are normalised to
/// shares of the truth, and the shares of at least a half per cent are written in per cent; rows
/// without pixels are grey. A title, names of both axes, and a legend below say so.
Image ConfusionPicture(std::span<const std::int64_t> counts, std::span<const std::string> classes);

/// A synthetic image with its labels, for demonstrations and tests: regions of textured material
/// whose classes depend on place and neighbours (a sky above, ground below, things on the ground).
/// Deterministic in the seed. num_classes: 2 … 8.
struct SyntheticImage {
  Image image;
  LabelImage labels;
};
SyntheticImage DrawSynthetic(Index width, Index height, Index num_classes, std::uint64_t seed);
/// Names of the synthetic classes.
std::vector<std::string> SyntheticClasses(Index num_classes);

}  // namespace slackline::internal
