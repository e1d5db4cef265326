// SPDX-License-Identifier: BSD-3-Clause
//
// Simple statistics of each superpixel: its colours, position and shape.
#pragma once

#include <vector>

#include <slackline/vision/superpixels.h>

namespace slackline::internal {

inline constexpr Index kShapeValues = 46;

/// superpixels.count × kShapeValues numbers. `lab` is ToLab(image). In this order: mean, deviation
/// and skewness (its cube root) of L, a and b; means of red, green and blue; mean cosine and sine
/// of the hue weighted by saturation, saturation and value; a histogram of eight hues weighted by
/// saturation; x, y (0 … 1), x², y², x·y of the centre; least and largest x, least and largest y;
/// logarithm of the share of the image; whether it touches the left, right, upper, lower border;
/// logarithm of perimeter² / area; logarithm of width / height of the bounding box, and the share
/// of the box that is filled; second moments of x, y and both divided by the area, and the
/// elongation; mean change of L from pixel to pixel.
std::vector<float> ShapeValues(const Image& image, const std::vector<float>& lab,
                               const Superpixels& superpixels);

}  // namespace slackline::internal
