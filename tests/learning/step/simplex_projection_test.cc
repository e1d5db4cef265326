// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/simplex_projection.h>

#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("projections meet the optimality conditions") {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> x(1 + random.Below(8));
    const double size = trial % 3 == 0 ? 1e6 : trial % 3 == 1 ? 1.0 : 1e-3;
    for (double& value : x) value = size * random.Normal();
    if (trial % 5 == 0 && x.size() > 1) x[1] = x[0];
    std::vector<double> beta = x;
    ProjectOntoSimplex(beta);
    double sum = 0;
    // x_j − β_j is the same number wherever β_j > 0, and at least x_j elsewhere.
    double level = -1e300;
    for (std::size_t j = 0; j < x.size(); ++j) {
      CHECK(beta[j] >= 0);
      sum += beta[j];
      if (beta[j] > 0) level = std::max(level, x[j] - beta[j]);
    }
    CHECK(Near(sum, 1, kExact));
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (beta[j] > 0) CHECK(Near(x[j] - beta[j], level, 1e-9));
      CHECK(x[j] - beta[j] <= level + 1e-9 * std::max(1.0, size));
    }
  }
}

TEST_CASE("projections refuse vectors without a projection") {
  std::vector<double> empty;
  CHECK_THROWS_AS(ProjectOntoSimplex(empty), std::invalid_argument);
  std::vector<double> infinite = {0, INFINITY};
  CHECK_THROWS_AS(ProjectOntoSimplex(infinite), std::invalid_argument);
}
