// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/inner_product.h>

#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("an inner product of any length is the sum of products") {
  Random random(1);
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<double> a(n), b(n);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      a[k] = random.Normal();
      b[k] = random.Normal();
      sum += a[k] * b[k];
    }
    CHECK(Near(InnerProduct(a, b), sum, kTight));
  }
}

TEST_CASE("whole numbers are summed exactly") {
  std::vector<double> a, b;
  double sum = 0;
  for (int k = 1; k <= 1001; ++k) {
    a.push_back(k);
    b.push_back(k % 7 - 3);
    sum += k * (k % 7 - 3);
  }
  CHECK(InnerProduct(a, b) == sum);
}

TEST_CASE("vectors of different lengths are an error of the caller") {
  const std::vector<double> a(3), b(4);
  CHECK_THROWS_AS(InnerProduct(a, b), std::logic_error);
}
