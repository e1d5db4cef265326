// SPDX-License-Identifier: BSD-3-Clause
//
// Planes of floats (rows from the top) and their smoothing.
#pragma once

#include <vector>

#include <slackline/vision/image.h>

namespace slackline::internal {

struct Plane {
  Plane() = default;
  Plane(Index plane_width, Index plane_height)
      : width(plane_width), height(plane_height), values(Offset{plane_width} * plane_height) {}

  float at(Index x, Index y) const { return values[Offset{y} * width + x]; }

  Index width = 0;
  Index height = 0;
  std::vector<float> values;
};

/// Every `stride`-th value from `first` on: one channel of an image of this size.
Plane Channel(const std::vector<float>& values, Index width, Index height, Index stride,
              Index first);

/// Smooths with a Gaussian. Outside of the border, the plane continues with the values at the
/// border. sigma ≤ 0 returns the plane unchanged.
Plane Smooth(const Plane& plane, double sigma);

/// The plane with `border` more values on every side, each equal to the nearest value of the plane.
Plane Padded(const Plane& plane, Index border);

/// The image of the means of blocks of factor × factor pixels. At the right and lower border,
/// blocks may be cut.
Image Reduced(const Image& image, Index factor);

}  // namespace slackline::internal
