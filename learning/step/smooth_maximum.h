// SPDX-License-Identifier: BSD-3-Clause
//
// The smooth maximum of Shalev-Shwartz and Zhang ("Accelerated proximal stochastic dual coordinate
// ascent", 2014), over a whole simplex:
//   smax_γ(θ) = max over the simplex of θ·p − γ/2 ‖p‖²,   max θ − γ/2 ≤ smax_γ(θ) ≤ max θ − γ/(2K).
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

#include <slackline/learning/step/simplex_projection.h>

namespace slackline::internal {

/// smax_γ(θ). Requires γ > 0 and finite θ, at least one. p = (θ − τ)₊/γ with Σp = 1, found by
/// sorting. O(K log K).
inline double SmoothMaximum(std::span<const double> theta, double gamma) {
  std::array<double, 16> small{};
  std::vector<double> large(theta.size() <= small.size() ? 0 : theta.size());
  double* sorted = large.empty() ? small.data() : large.data();
  std::copy(theta.begin(), theta.end(), sorted);
  std::sort(sorted, sorted + theta.size(), std::greater<>());
  const double high = sorted[0];
  const auto [tau, count] = SimplexThreshold({sorted, theta.size()}, gamma);
  double value = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double below = sorted[k] - high;
    const double p = (below - tau) / gamma;
    value += p * (below - 0.5 * gamma * p);
  }
  return high + value;
}

}  // namespace slackline::internal
