// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/exp_kernel.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

double Exact(double x, double shift, double inverse) { return std::exp((x - shift) * inverse); }

}  // namespace

TEST_CASE("exponentials agree with the standard library up to the last bits") {
  Random random(1);
  double worst = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    double x[1] = {trial < 1000 ? -random.Uniform() : -700 * random.Uniform()};
    const double expected = std::exp(x[0]);
    CHECK(ExpSum(x, 1, 0, 1) == x[0]);
    worst = std::max(worst, std::abs(x[0] - expected) / expected);
  }
  CHECK(worst <= 5e-16);
}

TEST_CASE("exponentials at the ends of the range are right") {
  std::vector<double> x = {0, -0.0, -kInfinity, -1e300, -699.9, -700.1, -1e-300};
  const double sum = ExpSum(x.data(), static_cast<Index>(x.size()), 0, 1);
  CHECK(x[0] == 1);
  CHECK(x[1] == 1);
  CHECK(x[2] == 0);
  CHECK(x[3] == 0);
  CHECK(Near(x[4] * 1e300, std::exp(-699.9) * 1e300, kExact));
  CHECK(x[5] == 0);
  CHECK(x[6] == 1);
  CHECK(Near(sum, 3, kExact));
  double cold[] = {2, 1, 2};
  CHECK(ExpSum(cold, 3, 2, 1e300) == 2);  // (1 − 2) · 1e300
  CHECK(ExpSum(nullptr, 0, 0, 1) == 0);
}

TEST_CASE("sums over runs and columns of all lengths are right") {
  Random random(2);
  for (Index rows = 1; rows <= 9; ++rows) {
    for (Index size = 0; size <= 13; ++size) {
      std::vector<double> x(rows * size);
      std::vector<double> shift(size, 1.0);
      for (double& value : shift) value += random.Uniform();
      for (double& value : x) value = random.Below(5) == 0 ? -kInfinity : -3 * random.Uniform();
      const std::vector<double> before = x;
      std::vector<double> sum(size, -1.0);
      ExpColumns(x.data(), rows, size, shift.data(), 0.7, sum.data());
      for (Index s = 0; s < size; ++s) {
        double total = 0;
        for (Index r = 0; r < rows; ++r) {
          const std::size_t at = r * size + s;
          const double expected = Exact(before[at], shift[s], 0.7);
          CHECK(Near(x[at], expected, kExact));
          total += expected;
        }
        CHECK(Near(sum[s], total, kExact));
      }
      std::vector<double> run = before;
      double total = 0;
      for (const double value : before) total += Exact(value, 1.5, 0.7);
      CHECK(Near(ExpSum(run.data(), rows * size, 1.5, 0.7), total, kExact));
    }
  }
}
