// SPDX-License-Identifier: BSD-3-Clause
//
// The three levels at which users write factors, on one example: "at most `limit` of n binary
// variables are on" costs its weight for each one too many.
#include <slackline/factors/user_defined.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/factors/conformance.h>
#include <slackline/factors/table.h>

#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

double Excess(std::span<const Index> states, Index limit) {
  return std::max(0, std::accumulate(states.begin(), states.end(), 0) - limit);
}

// Level 1: fill a table.
TableFactor BudgetTable(Index n, Index limit) {
  return TableFactor::FromFunction(std::vector<Index>(n, 2), 1,
                                   [limit](std::span<const Index> y, std::span<double> features) {
                                     features[0] = Excess(y, limit);
                                   });
}

// Level 2: model the concept.
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
static_assert(Factor<BudgetFactor> && !FactorWithScore<BudgetFactor> &&
              !FactorWithMaximize<BudgetFactor>);
static_assert(Factor<UserDefinedFactor> && FactorWithMaximize<UserDefinedFactor>);

// Level 3: derive.
class DerivedBudget : public UserDefinedFactor {
 public:
  DerivedBudget(Index n, Index limit) : cardinalities_(n, 2), limit_(limit) {}
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return 1; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> out) const override {
    out[0] += scale * Excess(states, limit_);
  }

 private:
  std::vector<Index> cardinalities_;
  Index limit_;
};

TEST_CASE("factors of all three levels conform") {
  CHECK(CheckFactor(BudgetTable(3, 1)).Text() == "");
  CHECK(CheckFactor(BudgetFactor(3, 1)).Text() == "");
  const std::unique_ptr<const UserDefinedFactor> derived = std::make_unique<DerivedBudget>(3, 1);
  CHECK(CheckFactor(*derived).Text() == "");
}

TEST_CASE("the three levels describe one factor: features, scores and oracles agree") {
  const TableFactor table = BudgetTable(4, 2);
  const BudgetFactor concept_model(4, 2);
  const DerivedBudget derived(4, 2);
  CHECK(TabulateFeatures(concept_model) == table.feature_table());
  CHECK(TabulateFeatures(derived) == table.feature_table());
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> weights = {random.Normal()};
    std::vector<double> messages(8);
    for (double& m : messages) m = random.Normal();
    const FactorMax expected = MaxOracle(table, weights, messages);
    for (const FactorMax& found :
         {MaxOracle(concept_model, weights, messages), MaxOracle(derived, weights, messages)}) {
      CHECK(found.joint == expected.joint);
      CHECK(Near(found.value, expected.value, kExact));
    }
  }
}

TEST_CASE(
    "weights and tables that do not fit a factor are refused, and so is a state that does not "
    "exist") {
  const BudgetFactor factor(2, 1);
  std::vector<double> table(4);
  CHECK_THROWS_AS(ScoreTable(factor, std::vector<double>{1, 2}, table), std::invalid_argument);
  table.resize(3);
  CHECK_THROWS_AS(ScoreTable(factor, std::vector<double>{1}, table), std::invalid_argument);
  class Astray : public DerivedBudget {
   public:
    Astray() : DerivedBudget(2, 1) {}
    FactorMax Maximize(std::span<const double>, std::span<const double>) const override {
      return {4, 0.0};
    }
  };
  CHECK_THROWS_AS(MaxOracle(Astray(), std::vector<double>{1}, std::vector<double>(4)),
                  std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
