// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace slackline::internal {

/// Σ_k a_k b_k of two vectors of equal length (else std::invalid_argument), in eight partial sums
/// that are added at the end. As fast as memory is read, and the same on every machine.
double InnerProduct(std::span<const double> a, std::span<const double> b);

}  // namespace slackline::internal
