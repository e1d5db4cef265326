// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <span>

namespace slackline::internal {

/// Σ_k a_k b_k of two vectors of equal length (else std::invalid_argument), in eight partial sums
/// that are added at the end. As fast as memory is read, and the same on every machine.
double InnerProduct(std::span<const double> a, std::span<const double> b);

/// The same sum term by term, in the order of k. b has at least the length of a.
inline double DotInOrder(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace slackline::internal
