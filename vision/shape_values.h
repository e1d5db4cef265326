// SPDX-License-Identifier: BSD-3-Clause
//
// Simple numbers about each superpixel: its colours, where it lies, and its form.
#pragma once

#include <vector>

#include <slackline/vision/superpixels.h>

namespace slackline::internal {

inline constexpr Index kShapeValues = 46;

/// Superpixels.count × kShapeValues. `lab` is ToLab(image). In this order: mean, deviation and
/// skewness (its third root) of L, a and b; means of red, green and blue; mean cosine and sine of
/// the hue weighted by saturation, saturation and value; a histogram of eight hues weighted by
/// saturation; x, y (0 … 1), x², y², x·y of the centre; least and largest x, least and largest y;
/// logarithm of the share of the image; whether it touches the left, right, upper, lower border;
/// logarithm of perimeter² / area; logarithm of width / height of the bounding box, and the share
/// that is filled; second moments of x, y and both over the area, and their elongation; mean change
/// of L from pixel to pixel.
std::vector<float> ShapeValues(const Image& image, const std::vector<float>& lab,
                               const Superpixels& superpixels);

}  // namespace slackline::internal
