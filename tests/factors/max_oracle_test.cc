// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/max_oracle.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/factors/joint_states.h>

#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

double SumOfMessages(std::span<const Index> cardinalities, std::span<const Index> states,
                     const std::vector<double>& messages) {
  double sum = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < states.size(); ++k) {
    sum += messages[begin + states[k]];
    begin += cardinalities[k];
  }
  return sum;
}

TEST_CASE("joint states are numbered with the last variable fastest, in both directions") {
  const std::array<Index, 3> cardinalities = {2, 3, 4};
  CHECK(NumJointStates(cardinalities) == 24);
  CHECK(NumJointStates({}) == 1);
  CHECK(JointIndex(cardinalities, std::array<Index, 3>{1, 0, 2}) == 14);
  std::array<Index, 3> states = {0, 0, 0};
  std::array<Index, 3> split;
  for (Index joint = 0; joint < 24; ++joint) {
    CHECK(JointIndex(cardinalities, states) == joint);
    SplitJoint(cardinalities, joint, split);
    CHECK(split == states);
    CHECK(NextJoint(cardinalities, states) == (joint < 23));
  }
  CHECK(states == std::array<Index, 3>{0, 0, 0});
}

TEST_CASE("the largest entry has the lowest index among ties, and may be minus infinity") {
  CHECK(TableMax(std::array{1.0, 3.0, 3.0}).joint == 1);
  CHECK(TableMax(std::array{-5.0, -2.0, -2.0}).joint == 1);
  CHECK(TableMax(std::array{-kInfinity, -1e300}).joint == 1);
  const FactorMax forbidden = TableMax(std::array{-kInfinity, -kInfinity});
  CHECK(forbidden.joint == 0);
  CHECK(forbidden.value == -kInfinity);
  CHECK(TableMax(std::array{0.0}).value == 0);
}

TEST_CASE("the reparametrised maximum agrees with enumeration for every order") {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Index> cardinalities(1 + random.Below(4));
    std::size_t message_size = 0;
    for (Index& states : cardinalities) {
      states = 1 + static_cast<Index>(random.Below(4));
      message_size += states;
    }
    // Whole numbers: sums are exact, and ties occur.
    std::vector<double> table(NumJointStates(cardinalities));
    for (double& value : table) {
      value = random.Below(6) == 0 ? -kInfinity : static_cast<double>(random.Below(5)) - 6;
    }
    std::vector<double> messages(message_size);
    for (double& value : messages) value = static_cast<double>(random.Below(3)) - 1;

    std::vector<Index> states(cardinalities.size(), 0);
    FactorMax expected;
    for (std::size_t joint = 0; joint < table.size(); ++joint) {
      const double value = table[joint] - SumOfMessages(cardinalities, states, messages);
      if (value > expected.value) expected = {static_cast<Index>(joint), value};
      NextJoint(cardinalities, states);
    }
    const FactorMax found = ReparametrisedMax(cardinalities, table, messages);
    CHECK(found.joint == expected.joint);
    CHECK(found.value == expected.value);
  }
}

TEST_CASE("sizes that do not fit are refused") {
  const std::array<Index, 2> cardinalities = {2, 2};
  const std::vector<double> four(4, 0.0);
  const std::vector<double> three(3, 0.0);
  CHECK_THROWS_AS(ReparametrisedMax({}, std::array{1.0}, {}), std::invalid_argument);
  CHECK_THROWS_AS(ReparametrisedMax(cardinalities, three, four), std::invalid_argument);
  CHECK_THROWS_AS(ReparametrisedMax(cardinalities, four, three), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
