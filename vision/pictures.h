// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures for people: class colours, overlays with a legend, sheets of image, truth and
// prediction, confusion matrices.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <slackline/vision/image.h>

namespace slackline::internal {

/// 256 colours of three bytes for the values of label images. The first classes are easy to tell
/// apart; void is black.
std::vector<std::uint8_t> ClassPalette(const LabelCoding& coding = LabelCoding());

/// The image blended with the colours of its classes, with borders between classes, and a legend of
/// the classes that occur below it. As wide as the image, but at least 80 pixels; the image is in
/// the upper left corner.
Image Overlay(const Image& image, const LabelImage& labels, std::span<const std::string> classes);

/// Image, truth and prediction side by side, with one legend. `truth` may be empty (0 × 0).
Image Sheet(const Image& image, const LabelImage& truth, const LabelImage& prediction,
            std::span<const std::string> classes);

/// `counts`: classes × classes numbers of pixels, row = truth, column = prediction. Each row is
/// normalised to shares of the truth; shares of at least half a per cent are written in per cent,
/// and rows without pixels are grey. The picture has a title, names of both axes and a legend
/// below.
Image ConfusionPicture(std::span<const std::int64_t> counts, std::span<const std::string> classes);

/// A synthetic image with labels, for demonstrations and tests: regions of textured material whose
/// classes depend on position and neighbours (sky above, ground below, things on the ground).
/// Deterministic in the seed. num_classes: 2 … 8.
struct SyntheticImage {
  Image image;
  LabelImage labels;
};
SyntheticImage DrawSynthetic(Index width, Index height, Index num_classes, std::uint64_t seed);
/// Names of the synthetic classes.
std::vector<std::string> SyntheticClasses(Index num_classes);

}  // namespace slackline::internal
