// SPDX-License-Identifier: BSD-3-Clause
//
// PNG files as bytes in memory. Messages start with `path`; the file of that name is not opened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/vision/image.h>

namespace slackline::internal {

Image DecodePng(const std::string& path, std::string_view bytes, Index most_pixels = kMostPixels);
/// The stored values, without any decoding to classes.
LabelImage DecodeLabelPng(const std::string& path, std::string_view bytes,
                          Index most_pixels = kMostPixels);

std::string EncodePng(const std::string& path, const Image& image);
/// `palette`: 256 colours of three bytes.
std::string EncodeLabelPng(const std::string& path, const LabelImage& image,
                           const std::vector<std::uint8_t>& palette);

/// Numbers 0 … 65535 as a 16-bit greyscale PNG. Throws DataError when one is larger.
std::string EncodeNumberPng(const std::string& path, Index width, Index height,
                            const std::vector<Index>& numbers);

/// Throws DataError when width · height exceeds most_pixels.
void CheckNumPixels(const std::string& path, std::int64_t width, std::int64_t height,
                    Index most_pixels);

}  // namespace slackline::internal
