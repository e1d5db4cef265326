// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/exact_sum.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <slackline/core/random.h>

using namespace slackline::internal;

namespace {

double SumOf(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.Add(value);
  return sum.Rounded();
}

}  // namespace

TEST_CASE("sums that lose bits in doubles are exact") {
  CHECK(SumOf({}) == 0);
  CHECK(SumOf({0.1}) == 0.1);
  CHECK(SumOf({1e50, 1, -1e50}) == 1);
  CHECK(SumOf({1e50, 1e-300, -1e50}) == 1e-300);
  CHECK(SumOf({0.5, -0.5}) == 0);
  CHECK(SumOf(std::vector<double>(10, 0.1)) == 1);
}

TEST_CASE("sums are rounded once, halves to even unless smaller parts decide") {
  const double half = std::numeric_limits<double>::epsilon() / 2;  // of the distance behind 1
  const double next = 1 + 2 * half;
  CHECK(SumOf({1, half}) == 1);
  CHECK(SumOf({1, half, 1e-40}) == next);
  CHECK(SumOf({1, half, -1e-40}) == 1);
  CHECK(SumOf({next, half}) == next + 2 * half);
  CHECK(SumOf({next, half, -1e-40}) == next);
  CHECK(SumOf({-1, -half, -1e-40}) == -next);
  CHECK(SumOf({-1, -half, 1e-40}) == -1);
}

TEST_CASE("the order and the grouping of the summands do not matter") {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> values;
    for (int k = 0; k < 60; ++k)
      values.push_back(
          std::ldexp(random.Uniform() - 0.5, static_cast<int>(random.Below(300)) - 150));
    const double expected = SumOf(values);
    for (std::size_t k = values.size() - 1; k > 0; --k)
      std::swap(values[k], values[random.Below(k + 1)]);
    CHECK(SumOf(values) == expected);
    ExactSum joined;
    for (std::size_t group = 0; group < 3; ++group) {
      ExactSum part;
      for (std::size_t k = group; k < values.size(); k += 3) part.Add(values[k]);
      for (const double x : part.parts()) joined.Add(x);
    }
    CHECK(joined.Rounded() == expected);
    CHECK(std::is_sorted(joined.parts().begin(), joined.parts().end(),
                         [](double a, double b) { return std::abs(a) < std::abs(b); }));
  }
}
