// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <slackline/core/random.h>

namespace slackline::internal::test {

using Real = long double;  ///< the numbers of reference computations

/// Σ_k a_k b_k, summed in this order.
inline double Dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// max_k |a_k − b_k|.
inline double LargestDifference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

/// Normal numbers with this standard deviation.
inline std::vector<double> Normals(Random& random, std::size_t count, double scale = 1) {
  std::vector<double> values(count);
  for (double& value : values) value = scale * random.Normal();
  return values;
}

inline std::vector<double> Copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

}  // namespace slackline::internal::test
