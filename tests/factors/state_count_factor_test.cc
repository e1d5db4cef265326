// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/state_count_factor.h>

#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/global_conformance.h>

#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

/// A factor with a weight for every count.
StateCountFactor Counts(std::vector<Index> cardinalities, Index state, Index low, Index high) {
  const auto size = static_cast<Index>(cardinalities.size());
  return {std::move(cardinalities), state, size + 1, IdentityMap(size + 1), low, high};
}

TEST_CASE("the factor conforms, for any states and bounds") {
  CHECK(CheckGlobalFactor(Counts({3, 2, 4, 2}, 1, 0, 4)).Text() == "");
  CHECK(CheckGlobalFactor(Counts({3, 2, 4, 2}, 2, 0, 4)).Text() == "");
  CHECK(CheckGlobalFactor(Counts({3, 2, 4, 2}, 0, 1, 2)).Text() == "");
  CHECK(CheckGlobalFactor(Counts({3, 1, 4, 1}, 0, 0, 4)).Text() == "");
  CHECK(CheckGlobalFactor(Counts({3, 1, 4, 1}, 1, 1, 1)).Text() == "");
  CHECK(CheckGlobalFactor(Counts({1}, 0, 0, 1)).Text() == "");
  CHECK(CheckGlobalFactor(StateCountFactor({3, 3}, 1, 0, {{-1, -1, -1}, {}}, 0, 1)).Text() == "");
  CHECK(
      CheckGlobalFactor(StateCountFactor({3, 3}, 1, 1, {{-1, -1, 0}, {0, 0, 2.5}}, 0, 2)).Text() ==
      "");
}

TEST_CASE("for state 1 of binary variables it is the cardinality factor") {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto size = static_cast<Index>(1 + random.Below(6));
    const auto low = static_cast<Index>(random.Below(static_cast<std::uint64_t>(size) + 1));
    const CardinalityFactor one(size, size + 1, IdentityMap(size + 1), low, size);
    const StateCountFactor other = Counts(std::vector<Index>(size, 2), 1, low, size);
    std::vector<double> weights(size + 1), messages(2 * weights.size());
    messages.resize(2 * Offset{size});
    for (double& w : weights) w = random.Normal();
    for (double& d : messages) d = random.Normal();
    std::vector<Index> a(size), b(a);
    CHECK(Near(one.Maximize(weights, messages, a), other.Maximize(weights, messages, b), kExact));
    CHECK(a == b);
    CHECK(one.IsRestricted() == other.IsRestricted());
  }
}

TEST_CASE("impossible counts are refused") {
  CHECK_THROWS_AS(Counts({2, 2}, 2, 1, 2), std::invalid_argument);
  CHECK_THROWS_AS(Counts({1, 1}, 0, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(Counts({2, 2}, -1, 0, 2), std::invalid_argument);
  CHECK_THROWS_AS(Counts({}, 0, 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(StateCountFactor({2, 2}, 1, 1, {{0, 0}, {}}, 0, 2), std::invalid_argument);
  CHECK_THROWS_AS(StateCountFactor({2, 2}, 1, 1, {{0, 0, 1}, {}}, 0, 2), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
