// SPDX-License-Identifier: BSD-3-Clause
//
// Connected regions of an image of numbers, their borders, and the removal of small ones.
#pragma once

#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// Two different numbers that meet, and how many pairs of 4-neighbour pixels have them.
struct Border {
  Index first = 0;  ///< < second
  Index second = 0;
  Index length = 0;
};

/// All borders, by first and then second.
std::vector<Border> FindBorders(Index width, Index height, const std::vector<Index>& of_pixel);

/// Replaces the numbers by those of their 4-connected regions, in the order of first pixels.
/// Returns their number.
Index NumberRegions(Index width, Index height, std::vector<Index>& of_pixel);

/// Merges regions of less than `least` pixels, the smallest first, each into the neighbour with the
/// longest border (the lowest of equals), then further regions in the same way while there are more
/// than `most` ≥ 1. Numbers anew in the order of first pixels. Takes what NumberRegions gives.
/// Returns the number of regions left.
Index MergeSmallRegions(Index width, Index height, Index least, Index most,
                        std::vector<Index>& of_pixel);

}  // namespace slackline::internal
