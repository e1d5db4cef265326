// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/filters.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

/// The right half of a Gaussian, including its middle; the whole Gaussian sums to 1.
std::vector<float> HalfKernel(double sigma) {
  const int radius = std::max(1, static_cast<int>(std::ceil(3 * sigma)));
  std::vector<float> kernel;
  double sum = -1;
  for (int k = 0; k <= radius; ++k) {
    const double value = std::exp(-0.5 * k * k / (sigma * sigma));
    kernel.push_back(static_cast<float>(value));
    sum += 2 * value;
  }
  for (float& value : kernel) value = static_cast<float>(value / sum);
  return kernel;
}

/// to = Σ_k kernel[k] · (from[−k] + from[k]), where from[±k] lie k · stride away.
SLACKLINE_MULTIVERSION
void Correlate(const float* from, Offset stride, const float* kernel, int radius, Index count,
               float* __restrict to) {
  for (Index x = 0; x < count; ++x) to[x] = kernel[0] * from[x];
  for (int k = 1; k <= radius; ++k) {
    const float* left = from - k * stride;
    const float* right = from + k * stride;
    for (Index x = 0; x < count; ++x) to[x] += kernel[k] * (left[x] + right[x]);
  }
}

}  // namespace

Plane Channel(const std::vector<float>& values, Index width, Index height, Index stride,
              Index first) {
  Plane plane(width, height);
  const float* from = values.data() + first;
  for (float& value : plane.values) {
    value = *from;
    from += stride;
  }
  return plane;
}

Plane Padded(const Plane& plane, Index border) {
  Plane padded(plane.width + 2 * border, plane.height + 2 * border);
  for (Index y = 0; y < padded.height; ++y) {
    const Index from_y = std::clamp(y - border, 0, plane.height - 1);
    const float* from = plane.values.data() + Offset{from_y} * plane.width;
    float* to = padded.values.data() + Offset{y} * padded.width;
    to = std::fill_n(to, border, from[0]);
    to = std::copy_n(from, plane.width, to);
    std::fill_n(to, border, from[plane.width - 1]);
  }
  return padded;
}

Plane Smooth(const Plane& plane, double sigma) {
  if (sigma <= 0) return plane;
  const std::vector<float> kernel = HalfKernel(sigma);
  const auto radius = static_cast<int>(kernel.size()) - 1;
  const Plane padded = Padded(plane, radius);
  Plane rows(padded.width, plane.height);
  for (Index y = 0; y < plane.height; ++y) {
    const float* from = padded.values.data() + Offset{y + radius} * padded.width;
    Correlate(from, padded.width, kernel.data(), radius, padded.width,
              rows.values.data() + Offset{y} * padded.width);
  }
  Plane smooth(plane.width, plane.height);
  for (Index y = 0; y < plane.height; ++y) {
    const float* from = rows.values.data() + Offset{y} * padded.width + radius;
    Correlate(from, 1, kernel.data(), radius, plane.width,
              smooth.values.data() + Offset{y} * plane.width);
  }
  return smooth;
}

Image Reduced(const Image& image, Index factor) {
  Image reduced;
  reduced.width = (image.width + factor - 1) / factor;
  reduced.height = (image.height + factor - 1) / factor;
  reduced.rgb.resize(3 * Offset{reduced.num_pixels()});
  std::uint8_t* to = reduced.rgb.data();
  for (Index y = 0; y < image.height; y += factor) {
    for (Index x = 0; x < image.width; x += factor) {
      const Index right = std::min(x + factor, image.width);
      const Index below = std::min(y + factor, image.height);
      const auto pixels = static_cast<std::uint32_t>((right - x) * (below - y));
      std::uint32_t sums[3] = {pixels / 2, pixels / 2, pixels / 2};
      for (Index v = y; v < below; ++v) {
        const std::uint8_t* from = image.rgb.data() + 3 * (Offset{v} * image.width + x);
        for (Index k = 0; k < 3 * (right - x); ++k) sums[k % 3] += from[k];
      }
      for (const std::uint32_t sum : sums) *to++ = static_cast<std::uint8_t>(sum / pixels);
    }
  }
  return reduced;
}

}  // namespace slackline::internal
