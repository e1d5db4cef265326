// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/simplex_projection.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <slackline/core/check.h>

namespace slackline::internal {

void ProjectOntoSimplex(std::span<double> x) {
  SLACKLINE_CHECK(!x.empty(), "the simplex needs an entry");
  for (const double value : x) SLACKLINE_CHECK(std::isfinite(value), "the point must be finite");
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double tau = SimplexThreshold(sorted, 1).tau;
  double total = 0;
  for (double& value : x) {
    value = std::max(0.0, value - sorted[0] - tau);
    total += value;
  }
  for (double& value : x) value /= total;
}

}  // namespace slackline::internal
