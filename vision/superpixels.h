// SPDX-License-Identifier: BSD-3-Clause
//
// SLIC superpixels (Achanta et al. 2012, by VLFeat) and their neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/vision/image.h>

namespace slackline::internal {

/// Every pixel belongs to one of `count` superpixels. They are connected (4 neighbours) and
/// numbered in the order of their first pixels.
struct Superpixels {
  Index width = 0;
  Index height = 0;
  Index count = 0;
  std::vector<Index> of_pixel;  ///< width · height, in rows from the top
};

/// About `wanted` ≥ 1 superpixels: at least one, and at most 1.2 · wanted, or at most `wanted` if
/// `at_most`. If there are more, the smallest ones are merged into neighbours. Deterministic. Works
/// on images of any size, including 1 × 1. Throws std::invalid_argument when the image has no
/// pixels or wanted < 1.
Superpixels Slic(const Image& image, Index wanted, bool at_most = false);

/// For every fine superpixel the coarse one that shares most pixels with it (the lowest of equals).
std::vector<Index> Parents(const Superpixels& fine, const Superpixels& coarse);

/// Two superpixels with a common border.
struct NeighbourPair {
  Index first = 0;  ///< < second
  Index second = 0;
  Index border = 0;    ///< number of pairs of 4-neighbour pixels across the border
  float contrast = 0;  ///< Euclidean distance of their mean Lab colours
};

/// All pairs of neighbours, sorted by `first` and then `second`.
std::vector<NeighbourPair> Neighbours(const Image& image, const Superpixels& superpixels);

/// CIE Lab (D65; L in 0 … 100) of every pixel, three floats each.
std::vector<float> ToLab(const Image& image);

/// The number of pixels of every superpixel by class: count × (num_classes + 1), void last.
/// Requires equal sizes.
std::vector<std::int32_t> ClassPixels(const Superpixels& superpixels, const LabelImage& labels,
                                      Index num_classes);

/// The label of every pixel: the label of its superpixel; kUnlabelled becomes kVoid.
LabelImage Paint(const Superpixels& superpixels, const std::vector<Index>& labels);

}  // namespace slackline::internal
