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
  // β_j = max(0, x_j − b), where b makes the sum 1; all is relative to the largest entry, whose β
  // is positive.
  const double largest = *std::max_element(x.begin(), x.end());
  std::vector<double> sorted(x.begin(), x.end());
  for (double& value : sorted) value -= largest;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double b = -1;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double next = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] <= next) break;
    b = next;
  }
  double total = 0;
  for (double& value : x) {
    value = std::max(0.0, value - largest - b);
    total += value;
  }
  for (double& value : x) value /= total;
}

}  // namespace slackline::internal
