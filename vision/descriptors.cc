// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/descriptors.h>

#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

extern "C" {
#include <vl/dsift.h>
}

#include <slackline/vision/filters.h>
#include <slackline/vision/vlfeat_memory.h>

namespace slackline::internal {
namespace {

constexpr Index kSiftSize = 128;
constexpr Index kTextonSize = 17;
constexpr double kLeastSiftNorm = 0.005;  // descriptors of smaller norm are noise
constexpr double kBinsPerSigma = 6;   // sigma of the smoothing before SIFT, as in VLFeat's vl_phow
constexpr double kCameraSigma = 0.5;  // smoothing that every image already has

/// The weighted sum of red, green and blue, each in 0 … 1.
Plane Mix(const Image& image, float red, float green, float blue) {
  Plane plane(image.width, image.height);
  const std::uint8_t* rgb = image.rgb.data();
  for (float& value : plane.values) {
    value = (red * static_cast<float>(rgb[0]) + green * static_cast<float>(rgb[1]) +
             blue * static_cast<float>(rgb[2])) /
            255.0f;
    rgb += 3;
  }
  return plane;
}

Plane Grey(const Image& image) { return Mix(image, 0.299f, 0.587f, 0.114f); }

/// The square root of each value's share of the sum. Euclidean distances of the roots then compare
/// histograms by the Hellinger distance (Arandjelović and Zisserman 2012).
void WriteRoots(const float* from, float* to) {
  const float sum = std::accumulate(from, from + kSiftSize, 0.0f);
  if (!(sum > 0)) return;
  for (Index k = 0; k < kSiftSize; ++k) to[k] = std::sqrt(from[k] / sum);
}

using DsiftFilter = std::unique_ptr<VlDsiftFilter, decltype(&vl_dsift_delete)>;

/// Dense SIFT of a plane with margins around the image.
DsiftFilter RunSift(const Plane& padded, const DescriptorSpec& spec, Index offset_x,
                    Index offset_y) {
  VlDsiftFilter* filter = nullptr;
  CallVlFeat([&] {
    filter = vl_dsift_new_basic(padded.width, padded.height, spec.step, spec.bin);
    vl_dsift_set_bounds(filter, offset_x, offset_y, padded.width - 1, padded.height - 1);
    vl_dsift_set_flat_window(filter, VL_TRUE);
    vl_dsift_set_window_size(filter, 1.5);
    vl_dsift_process(filter, padded.values.data());
  });
  return {filter, &vl_dsift_delete};
}

/// Writes dense SIFT of a plane into values[part · 128 …] of each descriptor. Appends to `pixels`
/// if it is empty.
void AddSift(const Plane& plane, const DescriptorSpec& spec, Index part, Descriptors* out) {
  const double sigma = spec.bin / kBinsPerSigma;
  const Index border = 3 * spec.bin / 2;  // puts the first centre at the first pixel
  const Plane padded = Padded(
      Smooth(plane, std::sqrt(std::max(0.0, sigma * sigma - kCameraSigma * kCameraSigma))), border);
  const DsiftFilter filter =
      RunSift(padded, spec, (plane.width - 1) % spec.step / 2, (plane.height - 1) % spec.step / 2);
  const Index count = vl_dsift_get_keypoint_num(filter.get());
  const VlDsiftKeypoint* points = vl_dsift_get_keypoints(filter.get());
  const float* descriptors = vl_dsift_get_descriptors(filter.get());
  const std::size_t size = spec.size;
  out->values.resize(count * size);
  const bool first = out->pixels.empty();
  for (Index k = 0; k < count; ++k) {
    if (first) {
      const Index x = static_cast<Index>(std::lround(points[k].x)) - border;
      const Index y = static_cast<Index>(std::lround(points[k].y)) - border;
      out->pixels.push_back(y * plane.width + x);
    }
    if (points[k].norm < kLeastSiftNorm) continue;
    WriteRoots(descriptors + Offset{k} * kSiftSize,
               out->values.data() + k * size + Offset{part} * kSiftSize);
  }
}

void AddOpponentSift(const Image& image, const DescriptorSpec& spec, Descriptors* out) {
  const float half = std::sqrt(0.5f);
  const float third = std::sqrt(1 / 3.0f);
  const float sixth = std::sqrt(1 / 6.0f);
  AddSift(Mix(image, half, -half, 0), spec, 0, out);
  AddSift(Mix(image, sixth, sixth, -2 * sixth), spec, 1, out);
  AddSift(Mix(image, third, third, third), spec, 2, out);
}

std::vector<Index> AllPixels(const Image& image) {
  std::vector<Index> pixels(image.num_pixels());
  std::iota(pixels.begin(), pixels.end(), 0);
  return pixels;
}

void Store(const Plane& plane, Index response, Descriptors* out) {
  float* to = out->values.data() + response;
  for (const float value : plane.values) {
    *to = value;
    to += kTextonSize;
  }
}

/// Calls value(left, centre, right, above, below) for every pixel. Outside of the border, the plane
/// continues with the value at the border.
template <class Value>
Plane FromNeighbours(const Plane& plane, const Value& value) {
  Plane result(plane.width, plane.height);
  float* to = result.values.data();
  for (Index y = 0; y < plane.height; ++y) {
    const Index above = std::max(y - 1, 0);
    const Index below = std::min(y + 1, plane.height - 1);
    for (Index x = 0; x < plane.width; ++x) {
      *to++ = value(plane.at(std::max(x - 1, 0), y), plane.at(x, y),
                    plane.at(std::min(x + 1, plane.width - 1), y), plane.at(x, above),
                    plane.at(x, below));
    }
  }
  return result;
}

/// Gaussians of L, a and b at three scales, Laplacians of L at four and its derivatives at two.
void AddTextons(const DescribedImage& described, Descriptors* out) {
  const Image& image = described.image;
  Index response = 0;
  for (const Index channel : {0, 1, 2}) {
    const Plane plane = Channel(described.lab, image.width, image.height, 3, channel);
    for (const double sigma : {1.0, 2.0, 4.0, 8.0}) {
      if (channel > 0 && sigma > 4) continue;
      const Plane smooth = Smooth(plane, sigma);
      if (sigma < 8) Store(smooth, response++, out);
      if (channel > 0) continue;
      const auto scale = static_cast<float>(sigma);
      Store(
          FromNeighbours(smooth,
                         [scale](float left, float middle, float right, float above, float below) {
                           return scale * scale * (left + right + above + below - 4 * middle);
                         }),
          response++, out);
      if (sigma != 2 && sigma != 4) continue;
      Store(FromNeighbours(smooth, [scale](float left, float, float right, float,
                                           float) { return scale * (right - left); }),
            response++, out);
      Store(FromNeighbours(smooth, [scale](float, float, float, float above,
                                           float below) { return scale * (below - above); }),
            response++, out);
    }
  }
}

/// The words of the 256 patterns of eight neighbours: one for each pattern with at most two changes
/// around the circle, and one for all others.
std::array<Index, 256> PatternWords() {
  std::array<Index, 256> words{};
  Index next = 0;
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    const unsigned turned = (pattern << 1 | pattern >> 7) & 255;
    words[pattern] = std::popcount(pattern ^ turned) <= 2 ? next++ : kPatternWords - 1;
  }
  return words;
}

void AddPatterns(const Plane& grey, Descriptors* out) {
  static const std::array<Index, 256> words = PatternWords();
  const Plane plane = Padded(grey, 1);
  const Offset width = plane.width;
  const Offset around[8] = {-width - 1, -width, -width + 1, 1, width + 1, width, width - 1, -1};
  for (Index y = 0; y < grey.height; ++y) {
    const float* centre = plane.values.data() + (y + 1) * width + 1;
    for (Index x = 0; x < grey.width; ++x, ++centre) {
      unsigned pattern = 0;
      for (int k = 0; k < 8; ++k)
        pattern |= static_cast<unsigned>(centre[around[k]] >= *centre) << k;
      out->words.push_back(words[pattern]);
    }
  }
}

}  // namespace

const std::vector<DescriptorSpec>& DescriptorSpecs(FeatureSet features) {
  using Kind = DescriptorKind;
  static const std::vector<DescriptorSpec> standard = {
      {"sift4", Kind::kSift, 4, 2, kSiftSize, 64, 300},
      {"sift8", Kind::kSift, 8, 2, kSiftSize, 64, 300},
      {"opponent6", Kind::kOpponentSift, 6, 2, 3 * kSiftSize, 64, 300},
      {"lab", Kind::kLab, 0, 1, 3, 0, 128},
      {"texton", Kind::kTexton, 0, 1, kTextonSize, kTextonSize, 128},
      {"pattern", Kind::kPattern, 0, 1, 0, 0, kPatternWords},
  };
  static const std::vector<DescriptorSpec> small = {
      {"sift4", Kind::kSift, 4, 4, kSiftSize, 16, 50},
      {"lab", Kind::kLab, 0, 1, 3, 0, 50},
      {"pattern", Kind::kPattern, 0, 1, 0, 0, kPatternWords},
  };
  return features == FeatureSet::kSmall ? small : standard;
}

Descriptors Describe(const DescribedImage& described, const DescriptorSpec& spec) {
  const Image& image = described.image;
  Descriptors out;
  switch (spec.kind) {
    case DescriptorKind::kSift:
      AddSift(Grey(image), spec, 0, &out);
      break;
    case DescriptorKind::kOpponentSift:
      AddOpponentSift(image, spec, &out);
      break;
    case DescriptorKind::kLab:
      out.pixels = AllPixels(image);
      out.values = described.lab;
      break;
    case DescriptorKind::kTexton:
      out.pixels = AllPixels(image);
      out.values.resize(out.pixels.size() * kTextonSize);
      AddTextons(described, &out);
      break;
    case DescriptorKind::kPattern:
      out.pixels = AllPixels(image);
      AddPatterns(Grey(image), &out);
      break;
  }
  return out;
}

}  // namespace slackline::internal
