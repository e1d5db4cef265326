// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/potts.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/factors/conformance.h>

#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

FactorMax ByTable(const PottsFactor& factor, double weight, const std::vector<double>& messages) {
  std::vector<double> table(NumJointStates(factor.cardinalities()));
  ScoreTable(factor, std::array{weight}, table);
  return ReparametrisedMax(factor.cardinalities(), table, messages);
}

TEST_CASE("Potts factors of all sizes conform") {
  for (const Index states : {1, 2, 3, 7}) CHECK(CheckFactor(PottsFactor(states)).Text() == "");
}

TEST_CASE("the score is the weight where the states differ") {
  std::vector<double> table(4);
  ScoreTable(PottsFactor(2), std::array{-1.5}, table);
  CHECK(table == std::vector<double>{0, -1.5, -1.5, 0});
}

TEST_CASE(
    "the linear-time oracle finds what the table finds, for weights of either sign and with ties") {
  Random random(9);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto states = 1 + static_cast<Index>(random.Below(5));
    const PottsFactor factor(states);
    std::vector<double> messages(2 * static_cast<std::size_t>(states));
    const bool ties = trial % 2 == 0;
    for (double& m : messages)
      m = ties ? static_cast<double>(random.Below(3)) : 3 * random.Normal();
    const double weight = ties ? static_cast<double>(random.Below(7)) - 3 : 2 * random.Normal();
    const FactorMax expected = ByTable(factor, weight, messages);
    const FactorMax found = MaxOracle(factor, std::array{weight}, messages);
    CHECK(found.joint == expected.joint);
    CHECK(Near(found.value, expected.value, kExact));
  }
}

TEST_CASE("by hand: a reward for disagreement takes the second best state of one side") {
  // Scores of the sides, as negative messages: (3, 0) and (3, 1). Agreement on state 0 gives 6.
  const std::vector<double> messages = {-3, 0, -3, -1};
  const PottsFactor factor(2);
  CHECK(factor.Maximize(std::array{1.0}, messages).joint == 0);
  CHECK(factor.Maximize(std::array{1.0}, messages).value == 6);
  CHECK(factor.Maximize(std::array{3.0}, messages).joint == 1);  // 3 + 1 + 3
  CHECK(factor.Maximize(std::array{3.0}, messages).value == 7);
  CHECK(factor.Maximize(std::array{2.0}, messages).joint == 0);  // a tie at 6
}

TEST_CASE("sizes that do not fit are refused") {
  CHECK_THROWS_AS(PottsFactor(0), std::invalid_argument);
  CHECK_THROWS_AS(PottsFactor(10000), std::invalid_argument);
  CHECK_THROWS_AS(PottsFactor(2).Maximize(std::array{1.0}, std::array{1.0, 2.0}),
                  std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
