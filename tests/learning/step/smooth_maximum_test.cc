// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/smooth_maximum.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The smooth maximum by small pairwise moves from the best corner.
double ByMoves(const std::vector<double>& theta, double gamma) {
  std::vector<double> p(theta.size(), 0.0);
  p[std::max_element(theta.begin(), theta.end()) - theta.begin()] = 1;
  for (int move = 0; move < 20000; ++move) {
    std::size_t up = 0;
    std::size_t down = p.size();
    const auto slope = [&](std::size_t k) { return theta[k] - gamma * p[k]; };
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (slope(k) > slope(up)) up = k;
      if (p[k] > 0 && (down == p.size() || slope(k) < slope(down))) down = k;
    }
    const double step = std::min(p[down], (slope(up) - slope(down)) / (2 * gamma));
    if (step <= 0) break;
    p[up] += step;
    p[down] -= step;
  }
  double value = 0;
  for (std::size_t k = 0; k < p.size(); ++k) value += theta[k] * p[k] - 0.5 * gamma * p[k] * p[k];
  return value;
}

}  // namespace

TEST_CASE("the smooth maximum is the maximum of its definition, and lies within its bounds") {
  Random random(311);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> theta(1 + random.Below(20));
    for (double& t : theta)
      t = trial % 3 == 0 ? static_cast<double>(random.Below(3)) : random.Normal();
    const double gamma = std::exp(4 * random.Normal());
    const double value = SmoothMaximum(theta, gamma);
    const double high = *std::max_element(theta.begin(), theta.end());
    CAPTURE(trial);
    CHECK(Near(value, ByMoves(theta, gamma), kTight));
    CHECK(value >= high - gamma / 2 - kExact * (1 + gamma));
    CHECK(value <= high - gamma / (2 * static_cast<double>(theta.size())) + kExact * (1 + gamma));
  }
}

TEST_CASE("equal numbers and a single number have values in closed form") {
  CHECK(SmoothMaximum(std::vector<double>{3}, 2) == 2);
  CHECK(Near(SmoothMaximum(std::vector<double>{5, 5, 5, 5}, 2), 5 - 0.25, kExact));
  CHECK(Near(SmoothMaximum(std::vector<double>{1e9, 0}, 1), 1e9 - 0.5, kExact));
}
