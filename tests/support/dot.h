// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <span>

namespace slackline::internal::test {

/// Σ_k a_k b_k, summed in this order.
inline double Dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace slackline::internal::test
