// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/superpixels.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

extern "C" {
#include <vl/slic.h>
}

#include <slackline/core/check.h>
#include <slackline/vision/regions.h>
#include <slackline/vision/vlfeat_memory.h>

namespace slackline::internal {

namespace {

/// The squared Lab distance that weighs as much as the distance of two neighbouring centres.
constexpr float kCompactness = 200;
/// VLFeat makes up to a hundred passes over an image, so it gets a smaller one: of half the size
/// where superpixels are large enough, and of at most about this many pixels. Refine then moves the
/// borders to their places in the full image.
constexpr std::int64_t kMostWorkingPixels = 150'000;
constexpr std::int64_t kLeastRegionPixels = 60;

void CheckImage(const Image& image) {
  SLACKLINE_CHECK(image.width >= 1 && image.height >= 1, "the image has pixels");
  SLACKLINE_CHECK(std::ssize(image.rgb) == 3 * Offset{image.width} * image.height,
                  "an image has three bytes a pixel");
}

void CheckSuperpixels(const Superpixels& superpixels, Index width, Index height) {
  SLACKLINE_CHECK(superpixels.width == width && superpixels.height == height,
                  "superpixels and image are of one size");
  SLACKLINE_CHECK(std::ssize(superpixels.of_pixel) == Offset{width} * height,
                  "every pixel has a superpixel");
}

Index DivideUp(Index a, Index b) { return (a - 1) / b + 1; }

/// The means of blocks of factor × factor pixels; blocks at the right and lower border may be cut.
Image Shrink(const Image& image, Index factor) {
  Image small{DivideUp(image.width, factor), DivideUp(image.height, factor), {}};
  small.rgb.reserve(3 * Offset{small.num_pixels()});
  for (Index v = 0; v < small.height; ++v) {
    for (Index u = 0; u < small.width; ++u) {
      std::array<int, 3> sum{};
      const Index x_end = std::min((u + 1) * factor, image.width);
      const Index y_end = std::min((v + 1) * factor, image.height);
      for (Index y = v * factor; y < y_end; ++y) {
        const std::uint8_t* row = image.rgb.data() + 3 * Offset{y} * image.width;
        for (Index i = 3 * u * factor; i < 3 * x_end; i += 3) {
          for (int c = 0; c < 3; ++c) sum[c] += row[i + c];
        }
      }
      const int area = (x_end - u * factor) * (y_end - v * factor);
      for (int c = 0; c < 3; ++c) {
        small.rgb.push_back(static_cast<std::uint8_t>((sum[c] + area / 2) / area));
      }
    }
  }
  return small;
}

Index ShrinkFactor(const Image& image, Index wanted) {
  const auto pixels = [&image](Index factor) {
    return static_cast<std::int64_t>(DivideUp(image.width, factor)) *
           DivideUp(image.height, factor);
  };
  Index factor = 1;
  while ((factor == 1 || pixels(factor) > kMostWorkingPixels) &&
         pixels(factor + 1) >= kLeastRegionPixels * wanted &&
         std::min(image.width, image.height) > 8 * factor) {
    ++factor;
  }
  return factor;
}

/// The side of VLFeat's initial squares whose number is closest to the wanted one.
Index RegionSide(const Image& image, Index wanted) {
  const double ideal = std::sqrt(static_cast<double>(image.num_pixels()) / wanted);
  const Index longest = std::max(image.width, image.height);
  Index best = 1;
  std::int64_t best_miss = -1;
  for (Index side = std::max<Index>(1, static_cast<Index>(0.7 * ideal));
       side <= longest && side <= static_cast<Index>(1.5 * ideal) + 1; ++side) {
    // A number that is too small counts double, because surplus superpixels can be merged later.
    const std::int64_t count =
        static_cast<std::int64_t>(DivideUp(image.width, side)) * DivideUp(image.height, side);
    const std::int64_t miss = count >= wanted ? count - wanted : 2 * (wanted - count);
    if (best_miss < 0 || miss < best_miss) {
      best = side;
      best_miss = miss;
    }
  }
  return best;
}

/// Rectangles, for images too small or too thin for VLFeat.
std::vector<Index> Grid(const Image& image, Index wanted) {
  const double ideal = std::sqrt(static_cast<double>(image.num_pixels()) / wanted);
  Index rows =
      std::clamp<Index>(static_cast<Index>(std::lround(image.height / ideal)), 1, image.height);
  const Index columns = std::clamp<Index>(
      static_cast<Index>(std::lround(static_cast<double>(wanted) / rows)), 1, image.width);
  rows = std::clamp<Index>(static_cast<Index>(std::lround(static_cast<double>(wanted) / columns)),
                           1, image.height);
  std::vector<Index> of_pixel;
  of_pixel.reserve(image.num_pixels());
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < image.width; ++x) {
      of_pixel.push_back(
          static_cast<Index>(y * rows / image.height * columns + x * columns / image.width));
    }
  }
  return of_pixel;
}

std::vector<Index> Segment(const Image& image, Index side) {
  const std::vector<float> lab = ToLab(image);
  const std::size_t num_pixels = lab.size() / 3;
  std::vector<float> planes(lab.size());
  for (std::size_t p = 0; p < num_pixels; ++p) {
    for (std::size_t c = 0; c < 3; ++c) planes[c * num_pixels + p] = lab[3 * p + c];
  }
  std::vector<vl_uint32> segments(num_pixels);
  CallVlFeat([&] {
    vl_slic_segment(segments.data(), planes.data(), static_cast<vl_size>(image.width),
                    static_cast<vl_size>(image.height), 3, static_cast<vl_size>(side), kCompactness,
                    0);
  });
  return {segments.begin(), segments.end()};
}

/// The superpixel numbers of an image's blocks of factor × factor pixels.
struct Blocks {
  Index factor = 1;
  Index width = 0;
  Index height = 0;
  std::vector<Index> number;

  Index At(Index u, Index v) const { return number[v * width + u]; }
  /// The numbers of the block and of those around it, each once.
  void Candidates(Index u, Index v, std::vector<Index>& found) const {
    found.clear();
    for (Index t = std::max(v - 1, 0); t <= std::min(v + 1, height - 1); ++t) {
      for (Index s = std::max(u - 1, 0); s <= std::min(u + 1, width - 1); ++s) {
        if (std::find(found.begin(), found.end(), At(s, t)) == found.end())
          found.push_back(At(s, t));
      }
    }
  }
};

/// The mean colour and position of each superpixel. Positions are scaled so that the squared
/// distance of a pixel is the sum over all five numbers.
std::vector<std::array<float, 5>> Centres(const std::vector<float>& lab, Index width,
                                          const Blocks& blocks, float scale) {
  const Index count = *std::max_element(blocks.number.begin(), blocks.number.end()) + 1;
  std::vector<std::array<double, 6>> sums(count);
  const Index height = static_cast<Index>(lab.size() / 3) / width;
  for (Index y = 0; y < height; ++y) {
    const float* color = lab.data() + 3 * Offset{y} * width;
    for (Index x = 0; x < width; ++x, color += 3) {
      std::array<double, 6>& sum = sums[blocks.At(x / blocks.factor, y / blocks.factor)];
      for (int c = 0; c < 3; ++c) sum[c] += static_cast<double>(color[c]);
      sum[3] += x;
      sum[4] += y;
      sum[5] += 1;
    }
  }
  std::vector<std::array<float, 5>> centres(count);
  for (Index s = 0; s < count; ++s) {
    for (int c = 0; c < 5; ++c) centres[s][c] = static_cast<float>(sums[s][c] / sums[s][5]);
    centres[s][3] *= scale;
    centres[s][4] *= scale;
  }
  return centres;
}

/// Assigns every pixel to the nearest of the centres in and around its block.
std::vector<Index> Refine(const Image& image, const Blocks& blocks, Index side) {
  const std::vector<float> lab = ToLab(image);
  const float scale = std::sqrt(kCompactness) / static_cast<float>(side * blocks.factor);
  const std::vector<std::array<float, 5>> centres = Centres(lab, image.width, blocks, scale);
  std::vector<Index> of_pixel(image.num_pixels());
  std::vector<Index> candidates;
  const auto nearest = [&](Index x, Index y) {
    const float* color = lab.data() + 3 * (Offset{y} * image.width + x);
    const std::array<float, 5> own = {color[0], color[1], color[2], static_cast<float>(x) * scale,
                                      static_cast<float>(y) * scale};
    Index best = candidates.front();
    float best_square = -1;
    for (const Index candidate : candidates) {
      float square = 0;
      for (int c = 0; c < 5; ++c) {
        const float difference = own[c] - centres[candidate][c];
        square += difference * difference;
      }
      if (best_square >= 0 && square >= best_square) continue;
      best = candidate;
      best_square = square;
    }
    return best;
  };
  for (Index v = 0; v < blocks.height; ++v) {
    for (Index u = 0; u < blocks.width; ++u) {
      blocks.Candidates(u, v, candidates);
      const Index x_end = std::min((u + 1) * blocks.factor, image.width);
      const Index y_end = std::min((v + 1) * blocks.factor, image.height);
      for (Index y = v * blocks.factor; y < y_end; ++y) {
        for (Index x = u * blocks.factor; x < x_end; ++x) {
          of_pixel[y * image.width + x] =
              candidates.size() == 1 ? candidates.front() : nearest(x, y);
        }
      }
    }
  }
  return of_pixel;
}

}  // namespace

Superpixels Slic(const Image& image, Index wanted, bool at_most) {
  CheckImage(image);
  SLACKLINE_CHECK(wanted >= 1, "at least one superpixel is wanted");
  Superpixels result{image.width, image.height, 0, {}};
  const Index factor = ShrinkFactor(image, wanted);
  if (factor > 1) {
    const Image small = Shrink(image, factor);
    const Index side = RegionSide(small, wanted);
    result.of_pixel =
        Refine(image, {factor, small.width, small.height, Segment(small, side)}, side);
  } else if (const Index side = RegionSide(image, wanted);
             side >= 3 && std::min(image.width, image.height) >= 4) {
    result.of_pixel = Segment(image, side);
  } else {
    result.of_pixel = Grid(image, wanted);
  }
  NumberRegions(image.width, image.height, result.of_pixel);
  const Index possible = std::min(wanted, image.num_pixels());
  const Index least = (image.num_pixels() / possible + 3) / 4;
  const Index most = at_most ? possible : possible + possible / 5;
  result.count = MergeSmallRegions(image.width, image.height, least, most, result.of_pixel);
  return result;
}

std::vector<Index> Parents(const Superpixels& fine, const Superpixels& coarse) {
  CheckSuperpixels(coarse, fine.width, fine.height);
  const std::size_t num_pixels = fine.of_pixel.size();
  std::vector<Index> begin(Offset{fine.count} + 1, 0);
  for (const Index s : fine.of_pixel) ++begin[s + 1];
  for (Index s = 0; s < fine.count; ++s) begin[s + 1] += begin[s];
  std::vector<Index> coarse_by_fine(num_pixels);
  std::vector<Index> at(begin.begin(), begin.end() - 1);
  for (std::size_t p = 0; p < num_pixels; ++p)
    coarse_by_fine[at[fine.of_pixel[p]]++] = coarse.of_pixel[p];

  std::vector<Index> parents(fine.count, 0);
  std::vector<Index> shared(coarse.count, 0);
  for (Index s = 0; s < fine.count; ++s) {
    Index best = coarse.count;
    for (Index k = begin[s]; k < begin[s + 1]; ++k) ++shared[coarse_by_fine[k]];
    for (Index k = begin[s]; k < begin[s + 1]; ++k) {
      const Index c = coarse_by_fine[k];
      if (best == coarse.count || shared[c] > shared[best] ||
          (shared[c] == shared[best] && c < best)) {
        best = c;
      }
    }
    for (Index k = begin[s]; k < begin[s + 1]; ++k) shared[coarse_by_fine[k]] = 0;
    if (best < coarse.count) parents[s] = best;
  }
  return parents;
}

std::vector<NeighbourPair> Neighbours(const Image& image, const Superpixels& superpixels) {
  CheckImage(image);
  CheckSuperpixels(superpixels, image.width, image.height);
  const std::vector<float> lab = ToLab(image);
  std::vector<std::array<double, 4>> sums(superpixels.count);  // L, a, b, pixels
  for (std::size_t p = 0; p < superpixels.of_pixel.size(); ++p) {
    std::array<double, 4>& sum = sums[superpixels.of_pixel[p]];
    for (std::size_t c = 0; c < 3; ++c) sum[c] += static_cast<double>(lab[3 * p + c]);
    sum[3] += 1;
  }
  std::vector<NeighbourPair> pairs;
  for (const Border& border : FindBorders(image.width, image.height, superpixels.of_pixel)) {
    const std::array<double, 4>& a = sums[border.first];
    const std::array<double, 4>& b = sums[border.second];
    double square = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double difference = a[c] / a[3] - b[c] / b[3];
      square += difference * difference;
    }
    pairs.push_back(
        {border.first, border.second, border.length, static_cast<float>(std::sqrt(square))});
  }
  return pairs;
}

std::vector<std::int32_t> ClassPixels(const Superpixels& superpixels, const LabelImage& labels,
                                      Index num_classes) {
  CheckSuperpixels(superpixels, labels.width, labels.height);
  SLACKLINE_CHECK(labels.labels.size() == superpixels.of_pixel.size(), "every pixel has a label");
  SLACKLINE_CHECK(num_classes >= 1 && num_classes <= kVoid, "there are 1 to 255 classes");
  const std::size_t row = num_classes + 1;
  std::vector<std::int32_t> counts(row * superpixels.count, 0);
  for (std::size_t p = 0; p < labels.labels.size(); ++p) {
    const std::uint8_t label = labels.labels[p];
    SLACKLINE_CHECK(label < num_classes || label == kVoid, "a label is a class or void");
    const std::size_t column = label == kVoid ? row - 1 : label;
    ++counts[superpixels.of_pixel[p] * row + column];
  }
  return counts;
}

LabelImage Paint(const Superpixels& superpixels, const std::vector<Index>& labels) {
  SLACKLINE_CHECK(std::ssize(labels) == superpixels.count, "every superpixel has a label");
  for (const Index label : labels) {
    SLACKLINE_CHECK(label == kUnlabelled || (label >= 0 && label <= kVoid),
                    "a label fits into a byte");
  }
  LabelImage image{superpixels.width, superpixels.height, {}};
  image.labels.reserve(superpixels.of_pixel.size());
  for (const Index s : superpixels.of_pixel) {
    image.labels.push_back(labels[s] == kUnlabelled ? kVoid : static_cast<std::uint8_t>(labels[s]));
  }
  return image;
}

}  // namespace slackline::internal
