// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/chain_dp.h>

#include <algorithm>
#include <stdexcept>

#include <doctest/doctest.h>

#include <tests/support/chains.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("the best labelling is the first of the best of all, in lexicographic order") {
  Random random(91);
  for (int trial = 0; trial < 400; ++trial) {
    const TestChain chain = RandomChain(random, trial);
    ChainDp dp = chain.Dp();
    std::vector<Index> labels(chain.length);
    const double value = dp.Maximise(chain.unary, labels);
    const auto all = chain.Ranked();
    if (all.empty()) {
      CHECK(value == -kInfinity);
      continue;
    }
    CHECK(Near(value, all[0].value, kExact));
    CHECK(Near(chain.Score(labels), all[0].value, kExact));
    if (chain.whole) CHECK(labels == all[0].labels);
  }
}

TEST_CASE("max-marginals are the loss of the best labelling with a state") {
  Random random(92);
  for (int trial = 0; trial < 400; ++trial) {
    const TestChain chain = RandomChain(random, trial);
    ChainDp dp = chain.Dp();
    std::vector<Index> labels(chain.length);
    std::vector<double> marginals(chain.unary.size());
    dp.MaxMarginals(chain.unary, labels, marginals);
    const auto all = chain.Ranked();
    std::vector<double> wanted(chain.unary.size(), -kInfinity);
    for (const RankedLabelling& one : all) {
      for (std::size_t i = 0; i < one.labels.size(); ++i) {
        double& best = wanted[i * chain.states + one.labels[i]];
        best = std::max(best, one.value - all[0].value);
      }
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      CHECK(marginals[k] <= 0);
      if (wanted[k] == -kInfinity) {
        CHECK(marginals[k] == -kInfinity);
      } else {
        CHECK(Near(marginals[k], wanted[k], kExact));
      }
    }
    for (std::size_t i = 0; i < labels.size() && !all.empty(); ++i)
      CHECK(marginals[i * chain.states + labels[i]] == 0);
  }
}

TEST_CASE("one object serves chains of any length and new tables") {
  ChainDp dp(2);
  std::vector<Index> labels(3);
  CHECK(dp.Maximise(std::vector<double>{0, 1, 2, 0, 0, 3}, labels) == 6);
  CHECK(labels == std::vector<Index>{1, 0, 1});
  dp.SetSharedTable(std::vector<double>{0, -5, -5, 0});
  CHECK(dp.Maximise(std::vector<double>{0, 1, 2, 0, 0, 3}, labels) == 4);
  CHECK(labels == std::vector<Index>{1, 1, 1});
  std::vector<Index> one(1);
  CHECK(dp.Maximise(std::vector<double>{7, 7}, one) == 7);
  CHECK(one[0] == 0);
  dp.SetTables(std::vector<double>{0, 0, 9, 0});
  std::vector<Index> two(2);
  CHECK(dp.Maximise(std::vector<double>{0, 0, 0, 0}, two) == 9);
  CHECK(two == std::vector<Index>{1, 0});
  CHECK_THROWS_AS(dp.Maximise(std::vector<double>(6), labels),
                  std::invalid_argument);  // two tables are needed
}

TEST_CASE("what does not fit is refused") {
  CHECK_THROWS_AS(ChainDp(0), std::invalid_argument);
  ChainDp dp(2);
  std::vector<Index> labels(2);
  std::vector<double> out(2);
  CHECK_THROWS_AS(dp.SetSharedTable(std::vector<double>(3)), std::invalid_argument);
  CHECK_THROWS_AS(dp.SetTables(std::vector<double>(6)), std::invalid_argument);
  CHECK_THROWS_AS(dp.Maximise(std::vector<double>(3), labels), std::invalid_argument);
  CHECK_THROWS_AS(dp.Maximise(std::vector<double>(2), labels), std::invalid_argument);
  CHECK_THROWS_AS(dp.Maximise(std::vector<double>(), std::span<Index>()), std::invalid_argument);
  CHECK_THROWS_AS(dp.MaxMarginals(std::vector<double>(4), labels, out), std::invalid_argument);
}

TEST_CASE("long chains take linear memory") {
  constexpr Index kStates = 50;
  constexpr Index kLength = 100000;
  ChainDp dp(kStates);
  std::vector<double> table(kStates * kStates, 0.0);
  for (Index s = 0; s < kStates; ++s) table[s * kStates + (s + 1) % kStates] = 1;
  dp.SetSharedTable(table);
  const std::vector<double> unary(Offset{kLength} * kStates, 0.0);
  std::vector<Index> labels(kLength);
  CHECK(dp.Maximise(unary, labels) == kLength - 1);
  for (Index i = 0; i < kLength; ++i) {
    if (labels[i] != i % kStates) FAIL("not the cycle of states");
  }
}
