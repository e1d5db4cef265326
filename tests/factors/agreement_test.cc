// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/agreement.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/conformance.h>

#include "tests/support/factor_scores.h"

namespace slackline::internal::test {
namespace {

TEST_CASE("agreement factors of all sizes conform") {
  for (const Index states : {1, 2, 3, 7}) CHECK(CheckFactor(AgreementFactor(states)).Text() == "");
}

TEST_CASE("the score is the weight of the state in which both agree") {
  std::vector<double> table(9);
  ScoreTable(AgreementFactor(3), std::array{1.5, 2.5, -1.0}, table);
  CHECK(table == std::vector<double>{1.5, 0, 0, 0, 2.5, 0, 0, 0, -1});
}

TEST_CASE("numbers of states that do not fit are refused") {
  CHECK_THROWS_AS(AgreementFactor(0), std::invalid_argument);
  CHECK_THROWS_AS(AgreementFactor(10000), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
