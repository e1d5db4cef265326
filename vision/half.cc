// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/half.h>

#include <bit>
#include <limits>

#include <slackline/core/check.h>
#include <slackline/core/simd.h>
#include <slackline/core/types.h>

namespace slackline::internal {
namespace {

constexpr std::uint32_t kExponent = 0x7c00U
                                    << 13;  // of half precision, where single precision has it
constexpr std::uint32_t kSmallestNormal = 113U << 23;  // 2^-14 in single precision
constexpr std::uint32_t kShiftBias = (127U - 15U) << 23;
static_assert(std::numeric_limits<float>::is_iec559);

/// Branch-free, so that the compiler can vectorise loops of it. Numbers below 2^-14 get a leading
/// one, which is subtracted again.
inline float Decode(std::uint16_t half) {
  const std::uint32_t bits = (half & 0x7fffU) << 13;
  const std::uint32_t exponent = bits & kExponent;
  const std::uint32_t shift = exponent == kExponent ? 2 * kShiftBias : kShiftBias;
  const std::uint32_t leading = exponent == 0 ? 1U << 23 : 0;
  const std::uint32_t surplus = exponent == 0 ? kSmallestNormal : 0;
  const float magnitude =
      std::bit_cast<float>(bits + shift + leading) - std::bit_cast<float>(surplus);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (half & 0x8000U) << 16);
}

SLACKLINE_MULTIVERSION
void DecodeRun(const std::uint16_t* __restrict from, Offset count, double* __restrict to) {
  for (Offset k = 0; k < count; ++k) to[k] = Decode(from[k]);
}

}  // namespace

std::uint16_t ToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U | (magnitude >> 13 & 0x3ffU);  // a quiet not-a-number
  } else if (magnitude >= 0x47800000U) {          // 2^16 and beyond
    half = 0x7c00U;
  } else if (magnitude < kSmallestNormal) {
    // Adding ½ makes the processor round at 2^-24, the last bit of half precision in this range.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
           std::bit_cast<std::uint32_t>(0.5f);
  } else {
    const std::uint32_t odd = magnitude >> 13 & 1U;
    half = (magnitude - kShiftBias + 0xfffU + odd) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

float FromHalf(std::uint16_t bits) { return Decode(bits); }

void RoundToHalf(std::span<float> values) {
  for (float& value : values) value = Decode(ToHalf(value));
}

void DecodeHalf(std::span<const std::uint16_t> from, std::span<double> to) {
  SLACKLINE_CHECK(from.size() == to.size(), "DecodeHalf needs spans of one length");
  DecodeRun(from.data(), static_cast<Offset>(from.size()), to.data());
}

}  // namespace slackline::internal
