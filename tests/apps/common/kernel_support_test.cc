// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/kernel_support.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("scores are sums over support vectors") {
  Random random(3);
  const Kernel kernel{KernelKind::kRbf, 0.3, 3, 1};
  FeatureRows rows;
  for (int j = 0; j < 9; ++j) {
    if (j % 2 == 0) {
      rows.AddDense(std::vector<double>{random.Normal(), random.Normal()});
    } else {
      rows.AddSparse(std::vector<Index>{j % 4}, std::vector<double>{random.Normal()});
    }
  }
  for (const Index labels : {1, 3, 20}) {
    KernelSupport support(kernel, labels);
    std::vector<std::vector<double>> coefficients;
    for (Index j = 0; j < 8; ++j) {
      std::vector<double> own(labels);
      for (double& value : own) value = random.Normal();
      support.Add(rows.row(j), own);
      coefficients.push_back(own);
    }
    CHECK(support.size() == 8);
    std::vector<double> scores(labels);
    support.Scores(rows.row(8), scores);
    for (std::size_t r = 0; r < scores.size(); ++r) {
      double expected = 0;
      for (Index j = 0; j < 8; ++j)
        expected += coefficients[j][r] * KernelValue(kernel, rows.row(j), rows.row(8));
      CHECK(Near(scores[r], expected, kExact));
    }
  }
}

TEST_CASE("without support vectors all scores are zero") {
  FeatureRows rows;
  rows.AddDense(std::vector<double>{1, 2});
  std::vector<double> scores = {7, 7, 7};
  KernelSupport(Kernel{}, 3).Scores(rows.row(0), scores);
  CHECK(scores == std::vector<double>{0, 0, 0});
}

TEST_CASE("malformed support vectors are refused") {
  FeatureRows rows;
  rows.AddDense(std::vector<double>{1, 2});
  KernelSupport support(Kernel{}, 2);
  CHECK_THROWS_AS(support.Add(rows.row(0), std::vector<double>{1}), std::invalid_argument);
  CHECK_THROWS_AS(
      support.Add(rows.row(0), std::vector<double>{1, std::numeric_limits<double>::infinity()}),
      std::invalid_argument);
  CHECK_THROWS_AS(KernelSupport(Kernel{}, 0), std::invalid_argument);
  CHECK(support.size() == 0);
}
