// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/number_text.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

using namespace slackline::internal;

TEST_CASE("the shortest text reads back as the same number") {
  CHECK(NumberText(0.1) == "0.1");
  CHECK(NumberText(3) == "3");
  CHECK(NumberText(-1e300) == "-1e+300");
  CHECK(NumberText(std::numeric_limits<double>::infinity()) == "inf");
  Random random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    const double value = std::ldexp(static_cast<double>(random.Below(1ULL << 53)),
                                    static_cast<int>(random.Below(2000)) - 1050);
    CHECK(std::strtod(NumberText(value).c_str(), nullptr) == value);
  }
}

TEST_CASE("with a number of digits the text is that of printf") {
  Random random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const double value = std::ldexp(static_cast<double>(random.Below(1ULL << 53)) - 4e15,
                                    static_cast<int>(random.Below(200)) - 150);
    const int digits = 1 + static_cast<int>(random.Below(17));
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    CHECK(NumberText(value, digits) == text);
  }
  CHECK(NumberText(0.00012345678, 3) == "0.000123");
  CHECK(NumberText(std::numeric_limits<double>::infinity(), 3) == "inf");
  CHECK(NumberText(std::numeric_limits<double>::quiet_NaN(), 3) == "nan");
}
