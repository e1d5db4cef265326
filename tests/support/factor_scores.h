// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include <slackline/factors/factor_concept.h>

namespace slackline::internal::test {

/// out[y] = w·φ(y) for all joint states y, from the factor's features.
template <Factor F>
void ScoreTable(const F& factor, std::span<const double> weights, std::span<double> out) {
  const std::span<const Index> cardinalities = factor.cardinalities();
  std::vector<Index> states(cardinalities.size(), 0);
  std::vector<double> features(weights.size());
  for (double& score : out) {
    features.assign(weights.size(), 0.0);
    factor.AddFeatures(states, 1.0, features);
    score = std::inner_product(weights.begin(), weights.end(), features.begin(), 0.0);
    NextJoint(cardinalities, states);
  }
}

}  // namespace slackline::internal::test
