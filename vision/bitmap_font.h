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

/// Rows from the top; of each the lowest five bits, the highest of them on the left. A box for all
/// but printable ASCII.
const std::array<std::uint8_t, kGlyphHeight>& Glyph(char character);

/// How many rows lower than others the glyph is drawn.
Index GlyphDescent(char character);

}  // namespace slackline::internal
