// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/unary.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/conformance.h>

#include "tests/support/factor_scores.h"

namespace slackline::internal::test {
namespace {

TEST_CASE("unary factors conform with own, tied and absent weights, and with one state") {
  CHECK(CheckFactor(UnaryFactor(3)).Text() == "");
  CHECK(CheckFactor(UnaryFactor(1)).Text() == "");
  CHECK(CheckFactor(UnaryFactor({0, 1, 0, kAbsent}, 2)).Text() == "");
  CHECK(CheckFactor(UnaryFactor({kAbsent, kAbsent}, 0)).Text() == "");
}

TEST_CASE("states read the weights that their rows name") {
  const UnaryFactor factor({1, kAbsent, 1, 0}, 3);
  std::vector<double> table(4);
  ScoreTable(factor, std::array{5.0, -2.0, 100.0}, table);
  CHECK(table == std::vector<double>{-2, 0, -2, 5});
}

TEST_CASE("factors are equal when they read the same weights") {
  CHECK(UnaryFactor(2) == UnaryFactor({0, 1}, 2));
  CHECK_FALSE(UnaryFactor(2) == UnaryFactor({1, 0}, 2));
  CHECK_FALSE(UnaryFactor(2) == UnaryFactor({0, 1}, 3));
}

TEST_CASE("rows out of range are refused") {
  CHECK_THROWS_AS(UnaryFactor(0), std::invalid_argument);
  CHECK_THROWS_AS(UnaryFactor({0, 2}, 2), std::invalid_argument);
  CHECK_THROWS_AS(UnaryFactor({0, -2}, 2), std::invalid_argument);
  CHECK_THROWS_AS(UnaryFactor({}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
