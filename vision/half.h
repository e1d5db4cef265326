// SPDX-License-Identifier: BSD-3-Clause
//
// IEEE half precision, the number format of feature files.
#pragma once

#include <cstdint>
#include <span>

namespace slackline::internal {

/// Rounds to nearest, ties to even; numbers beyond the range become ±infinity.
std::uint16_t ToHalf(float value);
float FromHalf(std::uint16_t bits);
/// Rounds every value to half precision.
void RoundToHalf(std::span<float> values);
/// Half precision to double. Throws std::invalid_argument unless both spans have the same length.
void DecodeHalf(std::span<const std::uint16_t> from, std::span<double> to);

}  // namespace slackline::internal
