// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include <slackline/vision/superpixels.h>

namespace slackline::internal {

namespace {

/// Tables of the two curves of the transform. The cube root is interpolated between steps so small
/// that the error stays below 1e-4 in Lab units.
class LabTables {
 public:
  LabTables() {
    for (int v = 0; v < 256; ++v) {
      const double s = v / 255.0;
      linear_[v] =
          static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
    }
    for (int k = 0; k <= kSteps + 1; ++k) {
      const double t = static_cast<double>(k) / kSteps;
      root_[k] =
          static_cast<float>(t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116);
    }
  }

  float Linear(std::uint8_t v) const { return linear_[v]; }

  /// t in 0 … 1, or above by a rounding error.
  float Root(float t) const {
    const float place = t * kSteps;
    const int k = static_cast<int>(place);
    return root_[k] + (place - static_cast<float>(k)) * (root_[k + 1] - root_[k]);
  }

 private:
  static constexpr int kSteps = 1 << 14;
  std::array<float, 256> linear_;
  std::array<float, kSteps + 2> root_;
};

}  // namespace

std::vector<float> ToLab(const Image& image) {
  static const LabTables tables;
  std::vector<float> lab(image.rgb.size());
  for (std::size_t p = 0; p + 2 < image.rgb.size(); p += 3) {
    const float r = tables.Linear(image.rgb[p]);
    const float g = tables.Linear(image.rgb[p + 1]);
    const float b = tables.Linear(image.rgb[p + 2]);
    const float x = tables.Root(0.43394994F * r + 0.37620977F * g + 0.18984029F * b);
    const float y = tables.Root(0.2126729F * r + 0.7151522F * g + 0.0721749F * b);
    const float z = tables.Root(0.01775656F * r + 0.10946796F * g + 0.87277548F * b);
    lab[p] = 116 * y - 16;
    lab[p + 1] = 500 * (x - y);
    lab[p + 2] = 200 * (y - z);
  }
  return lab;
}

}  // namespace slackline::internal
