// SPDX-License-Identifier: BSD-3-Clause
//
// Two ways to write a factor with a table, on one example: of n binary variables at most `limit`
// should be on, and each further one costs the factor's weight.
#include <slackline/factors/factor_concept.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/conformance.h>
#include <slackline/factors/table.h>

namespace slackline::internal::test {
namespace {

double Excess(std::span<const Index> states, Index limit) {
  return std::max(0, std::accumulate(states.begin(), states.end(), 0) - limit);
}

TableFactor BudgetTable(Index n, Index limit) {
  return TableFactor::FromFunction(std::vector<Index>(n, 2), 1,
                                   [limit](std::span<const Index> y, std::span<double> features) {
                                     features[0] = Excess(y, limit);
                                   });
}

class BudgetFactor {
 public:
  BudgetFactor(Index n, Index limit) : cardinalities_(n, 2), limit_(limit) {}
  std::span<const Index> cardinalities() const { return cardinalities_; }
  Index num_weights() const { return 1; }
  void AddFeatures(std::span<const Index> states, double scale, std::span<double> out) const {
    out[0] += scale * Excess(states, limit_);
  }

 private:
  std::vector<Index> cardinalities_;
  Index limit_;
};
static_assert(Factor<BudgetFactor> && !FactorWithFeatureTable<BudgetFactor>);
static_assert(Factor<TableFactor> && FactorWithFeatureTable<TableFactor>);

TEST_CASE("a table filled by a function and a user-defined type describe the same factor") {
  CHECK(CheckFactor(BudgetTable(3, 1)).Text() == "");
  CHECK(CheckFactor(BudgetFactor(3, 1)).Text() == "");
  CHECK(TabulateFeatures(BudgetFactor(4, 2)) == BudgetTable(4, 2).feature_table());
  CHECK_FALSE(TabulateFeatures(BudgetFactor(4, 2)) == BudgetTable(4, 1).feature_table());
}

}  // namespace
}  // namespace slackline::internal::test
