// SPDX-License-Identifier: BSD-3-Clause
//
// Images and label images, read and written with libjpeg and libpng.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/vision/label_coding.h>

namespace slackline::internal {

/// Pixels of three bytes (sRGB), in rows from the top.
struct Image {
  Index width = 0;
  Index height = 0;
  std::vector<std::uint8_t> rgb;

  Index num_pixels() const { return width * height; }
};

/// Class numbers from 0, or kVoid, in rows from the top.
struct LabelImage {
  Index width = 0;
  Index height = 0;
  std::vector<std::uint8_t> labels;
};

/// The default limit on the pixels of an image. A file of some kilobytes can hold more, and
/// labelling an image takes some 35 bytes of memory per pixel.
inline constexpr Index kMostPixels = 50'000'000;
/// The largest limit that a caller may set; byte counts of rows and images then fit an Index.
inline constexpr Index kLargestImage = 500'000'000;

/// Reads a JPEG or PNG file; the name of the file may end in anything. Grey becomes three equal
/// channels, 16 bits become 8, palettes are looked up, transparent pixels are laid over white, and
/// CMYK becomes RGB. Images are upright: turned by their EXIF orientation, as viewers show them.
/// Colour profiles are ignored. Throws DataError, which names the file, when it is missing, not an
/// image of either kind, damaged, or too large; the size is checked before memory is allocated.
Image ReadImage(const std::string& path, Index most_pixels = kMostPixels);

/// Reads an 8-bit (or narrower) greyscale or palette PNG and returns the class numbers of its
/// values, upright as ReadImage. Throws DataError as ReadImage does, for colour images, and for a
/// value that is neither one of num_classes classes nor void (with column, row and value). Requires
/// num_classes <= coding.most_classes().
LabelImage ReadLabelImage(const std::string& path, Index num_classes,
                          Index most_pixels = kMostPixels,
                          const LabelCoding& coding = LabelCoding());

/// Writes a PNG atomically: the file is replaced at once or not at all. Throws DataError.
void WritePng(const std::string& path, const Image& image);

/// Writes an 8-bit palette PNG that ReadLabelImage reads back. The colour of value k is entries 3k,
/// 3k + 1, 3k + 2 of `palette` (256 colours).
void WriteLabelPng(const std::string& path, const LabelImage& image,
                   const std::vector<std::uint8_t>& palette);

/// Writes a 16-bit greyscale PNG of numbers 0 … 65535, one per pixel, in rows from the top. Throws
/// DataError, also for larger numbers.
void WriteNumberPng(const std::string& path, Index width, Index height,
                    const std::vector<Index>& numbers);

/// The file folder/name.EXTENSION for the first of the extensions (with dots) that exists. Throws
/// DataError, which names them all, if none does.
std::string FindImageFile(const std::string& folder, const std::string& name,
                          const std::vector<std::string_view>& extensions);

}  // namespace slackline::internal
