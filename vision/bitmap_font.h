// SPDX-License-Identifier: BSD-3-Clause
//
// A small font: glyphs of 5 x 7 pixels for printable ASCII.
#pragma once

#include <array>
#include <cstdint>

#include <slackline/core/types.h>

namespace slackline::internal {

inline constexpr Index kGlyphWidth = 5;
inline constexpr Index kGlyphHeight = 7;

/// The rows of a glyph from the top. The lowest five bits of each row are pixels, the highest of
/// them on the left. Characters that are not printable ASCII are drawn as a box.
const std::array<std::uint8_t, kGlyphHeight>& Glyph(char character);

/// The number of pixels by which the glyph is drawn lower than others.
Index GlyphDescent(char character);

}  // namespace slackline::internal
