// SPDX-License-Identifier: BSD-3-Clause
//
// How a camera was held: the EXIF orientation of a JPEG or PNG file, by which viewers turn an
// image.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The value of the orientation tag (0x0112, Exif 2.32, section 4.6.4) of the first EXIF block of a
/// file: 1 … 8, and 1 (upright) where there is none, or it is damaged. bytes: the whole file.
int ExifOrientation(std::string_view bytes);

/// Turns and mirrors pixels of `pixel_bytes` bytes each, in rows from the top, as a viewer does for
/// this orientation. Sizes are swapped for orientations 5 … 8.
void TurnUpright(int orientation, Index pixel_bytes, Index* width, Index* height,
                 std::vector<std::uint8_t>* pixels);

}  // namespace slackline::internal
