// SPDX-License-Identifier: BSD-3-Clause
//
// Features and scores in the coordinates of an example, by the library's feature maps.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/feature_map.h>

namespace slackline::internal::test {

/// The coordinates of φ(labels).
inline std::vector<double> CoordinatesOf(const ExampleView& example,
                                         std::span<const Index> labels) {
  std::vector<double> q(example.structure().num_coordinates(), 0.0);
  AddLabellingFeatures(example, labels, 1, q);
  return q;
}

/// The scores of the coordinates at these weights.
inline std::vector<double> CoordinateScoresOf(const ExampleView& example,
                                              std::span<const double> weights) {
  std::vector<double> u(example.structure().num_coordinates());
  CoordinateScores(example, weights, u);
  return u;
}

}  // namespace slackline::internal::test
