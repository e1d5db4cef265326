// SPDX-License-Identifier: BSD-3-Clause
//
// Feature files as bytes, the sum of all their numbers, and superpixels to write.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <slackline/vision/feature_file.h>
#include <slackline/vision/half.h>

namespace slackline::internal::test {

/// A number of the file, at a byte offset.
template <class T>
T Take(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}
template <class T>
void Put(T value, std::size_t at, std::string* bytes) {
  std::memcpy(bytes->data() + at, &value, sizeof(T));
}

inline Superpixels SuperpixelStripes(Index width, Index height, Index count) {
  Superpixels superpixels{width, height, count, {}};
  for (Index p = 0; p < width * height; ++p)
    superpixels.of_pixel.push_back(p * count / (width * height));
  return superpixels;
}

/// Reads all contents of a feature file and returns the sum of the numbers.
inline double SumOfAll(const FeatureFile& file) {
  double sum = 0;
  for (Index i = 0; i < file.num_images(); ++i) {
    file.CheckFeatures(i);
    const PreparedImage image = file.image(i);
    for (const std::int32_t parent : image.parent) sum += parent;
    for (const NeighbourPair& pair : image.neighbours) sum += pair.contrast;
    for (const std::int32_t pixels : image.fine_pixels) sum += pixels;
    for (const std::int32_t pixels : image.coarse_pixels) sum += pixels;
    for (const std::uint16_t half : image.fine_features) sum += FromHalf(half);
    for (const std::uint16_t half : image.coarse_features) sum += FromHalf(half);
  }
  return sum;
}

}  // namespace slackline::internal::test
