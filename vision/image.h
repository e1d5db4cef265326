// SPDX-License-Identifier: BSD-3-Clause
//
// Images and label images, read and written by libjpeg and libpng.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/vision/label_coding.h>

namespace slackline::internal {

/// Pixels in rows from the top, three bytes each (sRGB).
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

/// Images of more pixels are refused unless a caller says otherwise: a file of some kilobytes can
/// hold them, and to label an image takes some 35 bytes of memory a pixel.
inline constexpr Index kMostPixels = 50'000'000;
/// The most that a caller may ask for; numbers of bytes in rows and images then fit an Index.
inline constexpr Index kLargestImage = 500'000'000;

/// A JPEG or PNG file, whatever its name ends with. Grey becomes three equal channels, 16 bits
/// become 8, palettes are looked up, transparent pixels are laid over white, four inks become RGB.
/// Orientations noted in EXIF and colour profiles are not applied. Throws DataError that names the
/// file: missing, not of either kind, damaged, too large (which is known before memory is taken).
Image ReadImage(const std::string& path, Index most_pixels = kMostPixels);

/// The class numbers that the values of an 8-bit (or narrower) greyscale or palette PNG mean.
/// Throws DataError as ReadImage, and for colour images and for values that are neither one of
/// num_classes classes nor void (with column, row and value). Requires num_classes <=
/// coding.most_classes().
LabelImage ReadLabelImage(const std::string& path, Index num_classes,
                          Index most_pixels = kMostPixels,
                          const LabelCoding& coding = LabelCoding());

/// Writes a PNG, replacing the file at once or not at all. Throws DataError.
void WritePng(const std::string& path, const Image& image);

/// Writes an 8-bit palette PNG that ReadLabelImage reads back: colour 3k, 3k + 1, 3k + 2 of
/// `palette` (256 colours) for value k.
void WriteLabelPng(const std::string& path, const LabelImage& image,
                   const std::vector<std::uint8_t>& palette);

/// Writes a 16-bit greyscale PNG of numbers 0 … 65535, one a pixel in rows from the top. Throws
/// DataError, also for larger numbers.
void WriteNumberPng(const std::string& path, Index width, Index height,
                    const std::vector<Index>& numbers);

/// The file folder/name.EXTENSION for the first of the extensions (with dots) that exists;
/// DataError that names them all if none.
std::string FindImageFile(const std::string& folder, const std::string& name,
                          const std::vector<std::string_view>& extensions);

}  // namespace slackline::internal
