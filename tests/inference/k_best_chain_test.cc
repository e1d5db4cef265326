// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/k_best_chain.h>

#include <set>
#include <stdexcept>

#include <doctest/doctest.h>

#include <tests/support/chains.h>
#include <tests/support/tolerances.h>
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("the best labellings agree with enumeration, also in their order") {
  Random random(93);
  for (int trial = 0; trial < 400; ++trial) {
    const TestChain chain = RandomChain(random, trial);
    ChainDp dp = chain.Dp();
    const auto all = chain.Ranked();
    for (const Index count : {1, 2, 7, 1000}) {
      const auto found = KBestLabellings(&dp, chain.unary, count);
      REQUIRE(found.size() == std::min<std::size_t>(all.size(), count));
      std::set<std::vector<Index>> different;
      for (std::size_t rank = 0; rank < found.size(); ++rank) {
        CHECK(Near(found[rank].value, all[rank].value, kExact));
        CHECK(Near(chain.Score(found[rank].labels), found[rank].value, kExact));
        if (chain.whole) CHECK(found[rank].labels == all[rank].labels);
        if (rank > 0) CHECK(found[rank].value <= found[rank - 1].value);
        different.insert(found[rank].labels);
      }
      CHECK(different.size() == found.size());
    }
  }
}

TEST_CASE("equal scores come in lexicographic order") {
  ChainDp dp(3);
  const auto found = KBestLabellings(&dp, std::vector<double>(6, 0.0), 100);
  REQUIRE(found.size() == 9);
  for (Index k = 0; k < 9; ++k) CHECK(found[k].labels == std::vector<Index>{k / 3, k % 3});
}

TEST_CASE("chains of one state or one variable are supported") {
  ChainDp one_state(1);
  const auto single = KBestLabellings(&one_state, std::vector<double>{1, 2, 3}, 5);
  REQUIRE(single.size() == 1);
  CHECK(single[0].value == 6);
  ChainDp dp(3);
  const auto found = KBestLabellings(&dp, std::vector<double>{1, -kInfinity, 2}, 5);
  REQUIRE(found.size() == 2);
  CHECK(found[0].labels == std::vector<Index>{2});
  CHECK(found[1].labels == std::vector<Index>{0});
  CHECK(KBestLabellings(&dp, std::vector<double>(3, -kInfinity), 5).empty());
  CHECK_THROWS_AS(KBestLabellings(&dp, std::vector<double>(3), 0), std::invalid_argument);
}

TEST_CASE("the first labelling is the one of Maximise, also on long chains") {
  Random random(94);
  constexpr Index kLength = 20000;
  ChainDp dp(4);
  std::vector<double> table = Normals(random, 16);
  dp.SetSharedTable(table);
  std::vector<double> unary = Normals(random, 4 * kLength);
  std::vector<Index> labels(kLength);
  const double value = dp.Maximise(unary, labels);
  const auto found = KBestLabellings(&dp, unary, 20);
  REQUIRE(found.size() == 20);
  CHECK(found[0].labels == labels);
  CHECK(found[0].value == value);
  // All labellings have the same score.
  const auto equal = KBestLabellings(&dp, std::vector<double>(4 * kLength, -1.0), 2);
  CHECK(equal.size() == 2);
}
