// SPDX-License-Identifier: BSD-3-Clause
//
// Histograms of visual words over regions around superpixels.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <slackline/vision/superpixels.h>

namespace slackline::internal {

/// The superpixel itself, its neighbours without the superpixel, or the whole image.
enum class Region { kOwn, kNeighbours, kImage };
inline constexpr std::array<std::string_view, 3> kRegionNames = {"own", "neighbours", "image"};

/// Words and the superpixels that contain them.
struct PlacedWords {
  Index num_words = 0;
  std::vector<Index> superpixels;
  std::vector<Index> words;
};

/// The histogram of each superpixel: count × num_words counts.
std::vector<float> CountWords(const PlacedWords& words, Index count);

/// For every superpixel the sum of its neighbours' rows.
std::vector<float> NeighbourSums(const std::vector<float>& rows, Index num_words, Index count,
                                 const std::vector<NeighbourPair>& neighbours);

/// The sum of all rows.
std::vector<float> RowSum(const std::vector<float>& rows, Index num_words);

/// Replaces each row by the square roots of the values' shares of its sum; rows of zeros stay.
void TakeRoots(Index num_words, std::vector<float>* rows);

}  // namespace slackline::internal
