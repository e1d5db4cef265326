// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/potts.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/conformance.h>

#include "tests/support/factor_scores.h"

namespace slackline::internal::test {
namespace {

TEST_CASE("Potts factors of all sizes conform") {
  for (const Index states : {1, 2, 3, 7}) CHECK(CheckFactor(PottsFactor(states)).Text() == "");
}

TEST_CASE("the score is the weight where the states differ") {
  std::vector<double> table(4);
  ScoreTable(PottsFactor(2), std::array{-1.5}, table);
  CHECK(table == std::vector<double>{0, -1.5, -1.5, 0});
}

TEST_CASE("sizes that do not fit are refused") {
  CHECK_THROWS_AS(PottsFactor(0), std::invalid_argument);
  CHECK_THROWS_AS(PottsFactor(10000), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
