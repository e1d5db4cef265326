// SPDX-License-Identifier: BSD-3-Clause
//
// Connected regions of equal numbers in an image, their borders, and the removal of small regions.
#pragma once

#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// A border between two different numbers, and how many pairs of 4-neighbour pixels lie across it.
struct Border {
  Index first = 0;  ///< < second
  Index second = 0;
  Index length = 0;
};

/// All borders, sorted by `first` and then `second`.
std::vector<Border> FindBorders(Index width, Index height, const std::vector<Index>& of_pixel);

/// Replaces each number by the number of its 4-connected region; regions are numbered in the order
/// of their first pixels. Returns the number of regions.
Index NumberRegions(Index width, Index height, std::vector<Index>& of_pixel);

/// Merges regions of fewer than `least` pixels, the smallest first, each into the neighbour with
/// the longest border (the lowest of equals), and then more regions in the same way until at most
/// `most` ≥ 1 are left. Renumbers in the order of first pixels. `of_pixel` must be numbered by
/// NumberRegions. Returns the number of regions left.
Index MergeSmallRegions(Index width, Index height, Index least, Index most,
                        std::vector<Index>& of_pixel);

}  // namespace slackline::internal
