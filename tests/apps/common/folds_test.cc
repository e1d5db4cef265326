// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/folds.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("folds hold every example once and differ by one in size") {
  for (const Index folds : {2, 3, 7, 20}) {
    const auto result = MakeFolds(20, folds, 5);
    REQUIRE(std::ssize(result) == folds);
    std::set<Index> seen;
    for (const auto& fold : result) {
      CHECK(std::is_sorted(fold.begin(), fold.end()));
      CHECK(std::ssize(fold) >= 20 / folds);
      CHECK(std::ssize(fold) <= (20 + folds - 1) / folds);
      seen.insert(fold.begin(), fold.end());
    }
    CHECK(seen.size() == 20);
    CHECK(result == MakeFolds(20, folds, 5));
    if (folds > 2) CHECK(result != MakeFolds(20, folds, 6));
  }
  CHECK_THROWS_AS(MakeFolds(3, 4, 1), std::invalid_argument);
  CHECK_THROWS_AS(MakeFolds(3, 1, 1), std::invalid_argument);
}

TEST_CASE("mean and deviation of a few values") {
  const Spread none = SpreadOf(std::vector<double>{});
  CHECK(none.mean == 0);
  CHECK(none.deviation == 0);
  const Spread one = SpreadOf(std::vector<double>{3});
  CHECK(one.mean == 3);
  CHECK(one.deviation == 0);
  const Spread three = SpreadOf(std::vector<double>{1, 2, 6});
  CHECK(Near(three.mean, 3, kExact));
  CHECK(Near(three.deviation, std::sqrt(7.0), kExact));
}

TEST_CASE("among means that differ only by rounding, the first is best") {
  CHECK(BestMean(std::vector<double>{2}) == 0);
  CHECK(BestMean(std::vector<double>{-3, -1, -2}) == 1);
  CHECK(BestMean(std::vector<double>{0.5, 0.5 + 1e-13, 0.4}) == 0);
  CHECK(BestMean(std::vector<double>{0.5, 0.5 + 1e-11, 0.4}) == 1);
  CHECK_THROWS_AS(BestMean(std::vector<double>{}), std::invalid_argument);
}

TEST_CASE("totals count all trainings") {
  ProgressRecord last;
  last.pass = 7;
  last.seconds = 1.5;
  last.check_seconds = 0.25;
  FoldTotals totals;
  totals.Add(last, Termination::kConverged);
  last.pass = 5;
  totals.Add(last, Termination::kMaxPasses);
  CHECK(totals.passes == 12);
  CHECK(totals.seconds == 3.5);
  CHECK(totals.converged == 1);
}

TEST_CASE("a fold has a name, its own examples, and the other examples in two orders") {
  const Folds folds = {{4, 7}, {0}, {2, 3}};
  const Fold fold(folds, 1);
  CHECK(fold.name() == "fold 2 of 3");
  CHECK(fold.held_out() == std::vector<Index>{0});
  CHECK(fold.Others() == std::vector<Index>{2, 3, 4, 7});
  CHECK(fold.OthersByFold() == std::vector<Index>{4, 7, 2, 3});
}
