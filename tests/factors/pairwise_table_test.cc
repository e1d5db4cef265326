// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/pairwise_table.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/conformance.h>

#include "tests/support/factor_scores.h"

namespace slackline::internal::test {
namespace {

TEST_CASE("pair tables conform, also with unequal and with single states") {
  for (const auto& [a, b] : {std::pair<Index, Index>{2, 2}, {3, 2}, {1, 4}, {4, 1}, {1, 1}}) {
    CHECK(CheckFactor(PairwiseTableFactor(a, b)).Text() == "");
  }
}

TEST_CASE("the score table is the weights") {
  const PairwiseTableFactor factor(2, 3);
  const std::vector<double> weights = {1, 2, 3, 4, 5, 6};
  std::vector<double> table(6);
  ScoreTable(factor, weights, table);
  CHECK(table == weights);
  CHECK(factor.num_weights() == 6);
}

TEST_CASE("cardinalities below one and tables too large are refused") {
  CHECK_THROWS_AS(PairwiseTableFactor(0, 2), std::invalid_argument);
  CHECK_THROWS_AS(PairwiseTableFactor(2, -1), std::invalid_argument);
  CHECK_THROWS_AS(PairwiseTableFactor(100000, 100000), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
