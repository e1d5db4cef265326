// SPDX-License-Identifier: BSD-3-Clause
//
// Steps on one simplex: which direction, and how far (docs/notation.md, section 4). Pure functions.
#pragma once

#include <algorithm>

#include <slackline/learning/options.h>

namespace slackline::internal {

/// d = e_s − e_v (pairwise), or e_s − μ (Frank-Wolfe: v = −1). The step length may be at most
/// `limit`.
struct Direction {
  Index s = 0;
  Index v = -1;
  double gap = 0;  ///< θ̂ᵀd ≥ 0
  double limit = 1;
};

/// γ = clip(gap/q, 0, limit). A direction without curvature (q ≤ 0) gets the whole limit; without a
/// positive gap, or with an unknown one (NaN), the step is 0.
inline double LineSearch(double gap, double q, double limit) {
  if (!(gap > 0)) return 0;
  return q > 0 ? std::min(gap / q, limit) : limit;
}

/// s = argmax θ̂; v = argmin θ̂ over the states with μ > 0 (pairwise). Ties: lowest state. When no
/// μ is positive, v = s and the limit is 0. O(states).
inline Direction ChooseDirection(StepKind kind, const double* theta, const double* mu,
                                 Index states) {
  Direction direction;
  for (Index s = 1; s < states; ++s) {
    if (theta[s] > theta[direction.s]) direction.s = s;
  }
  if (kind == StepKind::kFrankWolfe) {
    for (Index s = 0; s < states; ++s) direction.gap += mu[s] * (theta[direction.s] - theta[s]);
    return direction;
  }
  for (Index s = 0; s < states; ++s) {
    if (mu[s] > 0 && (direction.v < 0 || theta[s] < theta[direction.v])) direction.v = s;
  }
  if (direction.v < 0) {
    direction.v = direction.s;
    direction.limit = 0;
    return direction;
  }
  direction.gap = theta[direction.s] - theta[direction.v];
  direction.limit = mu[direction.v];
  return direction;
}

/// ‖d‖². O(1) for pairwise directions (s ≠ v), else O(states).
inline double SquaredLength(const Direction& direction, const double* mu, Index states) {
  if (direction.v >= 0) return 2;
  double sum = 0;
  for (Index s = 0; s < states; ++s) {
    const double d = (s == direction.s ? 1.0 : 0.0) - mu[s];
    sum += d * d;
  }
  return sum;
}

/// mu += step·d. A pairwise step of length `limit` leaves μ(v) = 0 exactly.
inline void MoveAlong(const Direction& direction, double step, Index states, double* mu) {
  if (direction.v >= 0) {
    mu[direction.v] -= step;
    mu[direction.s] += step;
  } else {
    for (Index y = 0; y < states; ++y) mu[y] *= 1 - step;
    mu[direction.s] += step;
  }
}

}  // namespace slackline::internal
