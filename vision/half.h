// SPDX-License-Identifier: BSD-3-Clause
//
// IEEE half precision, as feature files store it.
#pragma once

#include <cstdint>
#include <span>

namespace slackline::internal {

/// To nearest, ties to even; beyond the range ±infinity.
std::uint16_t ToHalf(float value);
float FromHalf(std::uint16_t bits);
/// Every value to the nearest that half precision has.
void RoundToHalf(std::span<float> values);
/// Half precision to double, `to` as long as `from`.
void DecodeHalf(std::span<const std::uint16_t> from, std::span<double> to);

}  // namespace slackline::internal
