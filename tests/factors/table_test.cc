// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/table.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/conformance.h>

#include "tests/support/factor_scores.h"

namespace slackline::internal::test {
namespace {

TableFactor TruncatedLinear(Index states) {
  return TableFactor::FromFunction({states, states}, 1,
                                   [](std::span<const Index> y, std::span<double> features) {
                                     features[0] = std::min(2, std::abs(y[0] - y[1]));
                                   });
}

TEST_CASE("tables of every order conform") {
  CHECK(CheckFactor(TableFactor({3})).Text() == "");
  CHECK(CheckFactor(TableFactor({2, 3})).Text() == "");
  CHECK(CheckFactor(TableFactor({2, 1, 3})).Text() == "");
  CHECK(CheckFactor(TableFactor({2, 2, 2, 2})).Text() == "");
  CHECK(CheckFactor(TableFactor({2, 2}, 3, {{2, kAbsent, 0, 2}, {0.5, 0, -2, 1}})).Text() == "");
  CHECK(CheckFactor(TruncatedLinear(4)).Text() == "");
}

TEST_CASE("a function fills the table") {
  const TableFactor factor = TruncatedLinear(4);
  std::vector<double> table(16);
  ScoreTable(factor, std::array{-10.0}, table);
  CHECK(table == std::vector<double>{0, -10, -20, -20, -10, 0, -10, -20, -20, -10, 0, -10, -20, -20,
                                     -10, 0});
}

TEST_CASE("states with several features keep them all") {
  const auto factor = TableFactor::FromFunction(
      {2, 2}, 3, [](std::span<const Index> y, std::span<double> features) {
        features[0] = 1;
        features[1] = y[0];
        features[2] = 0.25 * y[1];
      });
  const FeatureTable& features = factor.feature_table();
  REQUIRE(features.terms.size() == 3);
  CHECK(features.terms[0].rows == std::vector<Index>{0, 0, 0, 0});
  CHECK(features.terms[0].values.empty());
  CHECK(features.terms[1].rows == std::vector<Index>{kAbsent, 2, 1, 1});
  CHECK(features.terms[2].rows == std::vector<Index>{kAbsent, kAbsent, kAbsent, 2});
  std::vector<double> table(4);
  ScoreTable(factor, std::array{1.0, 10.0, 400.0}, table);
  CHECK(table == std::vector<double>{1, 101, 11, 111});
  CHECK(CheckFactor(factor).Text() == "");
}

TEST_CASE("a factor without any feature is allowed") {
  const auto factor =
      TableFactor::FromFunction({2, 2}, 0, [](std::span<const Index>, std::span<double>) {});
  CHECK(factor.feature_table().terms.empty());
  CHECK(CheckFactor(factor).Text() == "");
}

TEST_CASE("equal tables compare equal, whether or not they share memory") {
  const TableFactor factor({2, 3});
  const TableFactor copy = factor;
  CHECK(copy == factor);
  CHECK(TableFactor({2, 3}) == factor);
  CHECK_FALSE(TableFactor({3, 2}) == factor);
  CHECK_FALSE(TableFactor({2, 2}, 1, {{0, 0, 0, 0}, {}}) ==
              TableFactor({2, 2}, 1, {{0, 0, 0, 0}, {1, 1, 1, 2}}));
}

TEST_CASE("tables that are not sound are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(TableFactor(std::vector<Index>{}), std::invalid_argument);
  CHECK_THROWS_AS(TableFactor({2, 0}), std::invalid_argument);
  CHECK_THROWS_AS(TableFactor({100000, 100000, 100000, 100000}), std::invalid_argument);
  CHECK_THROWS_AS(TableFactor({2}, -1, {{kAbsent, kAbsent}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(TableFactor({2}, 2, {{0, 2}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(TableFactor({2}, 2, {{0, 1, 1}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(TableFactor({2}, 2, {{0, 1}, {1}}), std::invalid_argument);
  CHECK_THROWS_AS(TableFactor({2}, 2, {{0, 1}, {1, nan}}), std::invalid_argument);
  CHECK_THROWS_AS(
      TableFactor::FromFunction(
          {2}, 1, [&](std::span<const Index>, std::span<double> features) { features[0] = nan; }),
      std::invalid_argument);
}

TEST_CASE("the feature builder requires each state once, with all its features") {
  FeatureTableBuilder builder(std::array<Index, 1>{2}, 2);
  CHECK_THROWS_AS(builder.Append(std::array{1.0}), std::invalid_argument);
  builder.Append(std::array{1.0, 0.0});
  CHECK_THROWS_AS(builder.Finish(), std::invalid_argument);
  builder.Append(std::array{0.0, 0.0});
  CHECK_THROWS_AS(builder.Append(std::array{1.0, 0.0}), std::invalid_argument);
  CHECK(builder.Finish().terms.at(0).rows == std::vector<Index>{0, kAbsent});
}

}  // namespace
}  // namespace slackline::internal::test
