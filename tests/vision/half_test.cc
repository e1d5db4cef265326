// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/half.h>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <slackline/core/random.h>

using namespace slackline::internal;

namespace {

bool IsNan(unsigned half) { return (half & 0x7fff) > 0x7c00; }

/// The value of a half by the definition of the format.
double Value(unsigned half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const double fraction = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return sign * std::numeric_limits<double>::infinity();
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::vector<std::uint16_t> AllValues() {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint16_t>(k);
  return all;
}

}  // namespace

TEST_CASE("all values are decoded and encoded back") {
  const std::vector<std::uint16_t> all = AllValues();
  std::vector<double> decoded(all.size());
  DecodeHalf(all, decoded);
  int wrong = 0;
  for (unsigned k = 0; k < 65536; ++k) {
    const float single = FromHalf(all[k]);
    if (IsNan(k)) {
      wrong +=
          !std::isnan(single) || !std::isnan(decoded[k]) || !std::isnan(FromHalf(ToHalf(single)));
      continue;
    }
    wrong +=
        single != Value(k) || decoded[k] != Value(k) || std::signbit(decoded[k]) != (k >= 0x8000);
    wrong += ToHalf(single) != k;
  }
  CHECK(wrong == 0);
}

TEST_CASE("numbers between two values go to the nearer one, and from the middle to the even one") {
  int wrong = 0;
  for (unsigned k = 0; k < 0x7bff; ++k) {
    const float low = FromHalf(static_cast<std::uint16_t>(k));
    const float high = FromHalf(static_cast<std::uint16_t>(k + 1));
    const float middle = (low + high) / 2;  // exact
    wrong += ToHalf(middle) != k + (k & 1);
    wrong += ToHalf(std::nextafter(middle, 0.0f)) != k;
    wrong += ToHalf(std::nextafter(middle, high)) != k + 1;
    wrong += ToHalf(-middle) != (0x8000 | (k + (k & 1)));
  }
  CHECK(wrong == 0);
}

TEST_CASE("the ends of the range are encoded") {
  CHECK(ToHalf(65504.0f) == 0x7bff);
  CHECK(ToHalf(65519.996f) == 0x7bff);
  CHECK(ToHalf(65520.0f) == 0x7c00);
  CHECK(ToHalf(-1e30f) == 0xfc00);
  CHECK(ToHalf(std::numeric_limits<float>::infinity()) == 0x7c00);
  CHECK(ToHalf(std::numeric_limits<float>::denorm_min()) == 0);
  CHECK(ToHalf(-0.0f) == 0x8000);
  CHECK(ToHalf(std::ldexp(1.0f, -25)) == 0);
  CHECK(ToHalf(std::ldexp(1.001f, -25)) == 1);
  CHECK(IsNan(ToHalf(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("runs of any length and alignment are encoded") {
  Random random(5);
  std::vector<std::uint16_t> from(70);
  for (std::uint16_t& half : from) half = static_cast<std::uint16_t>(random.Below(0x7c00));
  for (std::size_t begin = 0; begin < 4; ++begin) {
    for (std::size_t size = 0; begin + size <= from.size(); ++size) {
      std::vector<double> to(size);
      DecodeHalf(std::span(from).subspan(begin, size), to);
      for (std::size_t k = 0; k < size; ++k) REQUIRE(to[k] == Value(from[begin + k]));
    }
  }
  std::vector<double> short_by_one(from.size() - 1);
  CHECK_THROWS_AS(DecodeHalf(from, short_by_one), std::invalid_argument);
}

TEST_CASE("rounding gives the values that are read back") {
  Random random(4);
  std::vector<float> values = {0, -0.0f, 1, 1.0009765f, 65504, 1e-8f, -3e-5f};
  for (int k = 0; k < 1000; ++k) values.push_back(static_cast<float>(random.Normal()));
  std::vector<float> rounded = values;
  RoundToHalf(rounded);
  int changed = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    CHECK(std::bit_cast<std::uint32_t>(rounded[k]) ==
          std::bit_cast<std::uint32_t>(FromHalf(ToHalf(values[k]))));
    changed += rounded[k] != values[k];
  }
  CHECK(changed > 900);
  const std::vector<float> once = rounded;
  RoundToHalf(rounded);
  CHECK(rounded == once);
}
