// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/global_factor.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/random.h>

namespace slackline::internal {

double GlobalFactor::Score(std::span<const double> weights, std::span<const Index> states) const {
  std::vector<double> features(weights.size(), 0.0);
  AddFeatures(states, 1.0, features);
  return std::inner_product(weights.begin(), weights.end(), features.begin(), 0.0);
}

double GlobalFactor::SquaredRange() const {
  constexpr Index kProbes = 24;
  std::vector<std::vector<double>> features;
  for (const std::vector<Index>& states : ProbeStates(*this, kProbes)) {
    features.emplace_back(num_weights(), 0.0);
    AddFeatures(states, 1.0, features.back());
  }
  double range = 0;
  for (std::size_t a = 0; a < features.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double distance = 0;
      for (std::size_t k = 0; k < features[a].size(); ++k) {
        const double d = features[a][k] - features[b][k];
        distance += d * d;
      }
      range = std::max(range, distance);
    }
  }
  return range;
}

double CheckedMaximum(const GlobalFactor& factor, std::span<const double> weights,
                      std::span<const double> messages, std::span<Index> states) {
  std::fill(states.begin(), states.end(), -1);
  const double value = factor.Maximize(weights, messages, states);
  const std::span<const Index> cardinalities = factor.cardinalities();
  const auto check = [&](bool good, const char* fault) {
    SLACKLINE_CHECK(good,
                    "the maximum of global factor '" + std::string(factor.name()) + "' " + fault);
  };
  for (std::size_t k = 0; k < states.size(); ++k) {
    check(states[k] >= 0 && states[k] < cardinalities[k], "has a state that does not exist");
  }
  check(factor.Allows(states), "is a forbidden state");
  const double recomputed =
      factor.Score(weights, states) - MessageSum(cardinalities, messages, states);
  // Large terms may cancel, and the two values sum them in different orders.
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, std::abs(weight));
  for (const double message : messages) largest = std::max(largest, std::abs(message));
  const double size = std::abs(value) + static_cast<double>(states.size()) * largest;
  check(std::abs(value - recomputed) <= 1e-6 * (1e-3 + size), "has another value than its states");
  return std::max(value, recomputed);
}

double MessageSum(std::span<const Index> cardinalities, std::span<const double> messages,
                  std::span<const Index> states) {
  double sum = 0;
  const double* own = messages.data();
  for (std::size_t k = 0; k < states.size(); ++k) {
    sum += own[states[k]];
    own += cardinalities[k];
  }
  return sum;
}

std::vector<std::vector<Index>> ProbeStates(const GlobalFactor& factor, Index count) {
  const std::span<const Index> cardinalities = factor.cardinalities();
  const std::size_t axes = cardinalities.size();
  std::vector<std::vector<Index>> probes;
  Random random(7);
  std::vector<Index> states(axes);
  std::vector<double> messages(
      std::accumulate(cardinalities.begin(), cardinalities.end(), Offset{0}));
  const std::vector<double> weights(factor.num_weights(), 0.0);
  for (Index n = 0; n < count; ++n) {
    if (n % 2 == 0) {  // first states, second states, …: extremes of most features
      for (std::size_t k = 0; k < axes; ++k) states[k] = std::min(n / 2, cardinalities[k] - 1);
    } else {
      for (std::size_t k = 0; k < axes; ++k)
        states[k] = static_cast<Index>(random.Below(static_cast<std::uint64_t>(cardinalities[k])));
    }
    if (!factor.Allows(states)) {
      // With zero weights Maximize finds the best allowed states for random messages.
      for (double& message : messages) message = random.Normal();
      factor.Maximize(weights, messages, states);
    }
    if (std::find(probes.begin(), probes.end(), states) == probes.end()) probes.push_back(states);
  }
  return probes;
}

}  // namespace slackline::internal
