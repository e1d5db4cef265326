// SPDX-License-Identifier: BSD-3-Clause
//
// JPEG files as bytes in memory.
#pragma once

#include <string>
#include <string_view>

#include <slackline/vision/image.h>

namespace slackline::internal {

/// Messages start with `path`; the file of that name is not opened.
Image DecodeJpeg(const std::string& path, std::string_view bytes, Index most_pixels = kMostPixels);

}  // namespace slackline::internal
