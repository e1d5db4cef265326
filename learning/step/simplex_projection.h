// SPDX-License-Identifier: BSD-3-Clause
//
// The maximum of θ·p − γ/2 ‖p‖² over the simplex {p ≥ 0, Σp = 1}, by sorting: p = (θ − τ)₊/γ, where
// τ makes the sum 1. With γ = 1 it is the projection of θ; the value of the maximum is in
// smooth_maximum.h.
#pragma once

#include <cstddef>
#include <span>

namespace slackline::internal {

struct Threshold {
  double tau = 0;         ///< relative to the largest entry
  std::size_t count = 0;  ///< number of entries above the threshold
};

/// The threshold of θ in decreasing order. Requires γ > 0 and finite θ, at least one. O(K).
inline Threshold SimplexThreshold(std::span<const double> sorted, double gamma) {
  Threshold threshold{-gamma, 0};
  double sum = 0;  // of θ − max θ, over those above the threshold
  for (; threshold.count < sorted.size(); ++threshold.count) {
    const double below = sorted[threshold.count] - sorted[0];
    if (threshold.count > 0 && below <= threshold.tau) break;
    sum += below;
    threshold.tau = (sum - gamma) / static_cast<double>(threshold.count + 1);
  }
  return threshold;
}

/// Replaces x by the nearest point of the simplex: argmax β·x − ½‖β‖². Requires at least one entry,
/// all finite (else std::invalid_argument). O(K log K).
void ProjectOntoSimplex(std::span<double> x);

}  // namespace slackline::internal
