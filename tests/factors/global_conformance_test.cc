// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/global_conformance.h>

#include <doctest/doctest.h>

#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>

#include "tests/support/all_equal_factor.h"

using namespace slackline::internal;

namespace {

/// A flawed factor: its maximum ignores the weights.
class Careless : public GlobalFactor {
 public:
  std::string_view name() const override { return "flawed"; }
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return 1; }
  void AddFeatures(std::span<const Index> y, double scale, std::span<double> out) const override {
    out[0] += scale * static_cast<double>(y[0]);
  }
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<Index> y) const override {
    y[0] = messages[0] <= messages[1] ? 0 : 1;  // without the weight
    return (y[0] == 1 ? weights[0] : 0.0) - messages[y[0]];
  }

 protected:
  std::vector<Index> cardinalities_{2};
};

class Silent final : public Careless {
 public:
  bool Allows(std::span<const Index> y) const override { return y[0] == 0; }
};

class Overwriting final : public Careless {
 public:
  void AddFeatures(std::span<const Index> y, double scale, std::span<double> out) const override {
    out[0] = scale * static_cast<double>(y[0]);
  }
};

class OutOfRange final : public Careless {
 public:
  double Maximize(std::span<const double>, std::span<const double>,
                  std::span<Index> y) const override {
    y[0] = 2;
    return 0;
  }
};

TreeFactor SomeTree() {
  // A tree: 1 − 0 − 2; 2 − 3 with the axes of the table swapped; 4 alone.
  FeatureTable two_by_three = TabulateFeatures(TableFactor({3, 2}));
  FeatureTable three_by_two = TabulateFeatures(TableFactor({2, 3}));
  return {{2, 3, 3, 2, 4},
          18,
          {two_by_three, three_by_two},
          {{1, 0, 0, 0}, {0, 2, 1, 6}, {2, 3, 0, 12}}};
}

}  // namespace

TEST_CASE("shipped global factors conform") {
  for (const Index size : {1, 2, 5, 8}) {
    CHECK(CheckGlobalFactor(CardinalityFactor(size)).Text() == "");
    CHECK(CheckGlobalFactor(CardinalityFactor::AtMostOne(size)).Text() == "");
    CHECK(CheckGlobalFactor(CardinalityFactor::ExactlyOne(size)).Text() == "");
    CHECK(CheckGlobalFactor(CardinalityFactor::Between(size, size / 2, size)).Text() == "");
    CHECK(CheckGlobalFactor(TreeFactor::Chain(size, PottsFactor(3))).Text() == "");
  }
  // Tied and valued counts, some without a feature.
  CHECK(
      CheckGlobalFactor(CardinalityFactor(4, 2, {{0, kAbsent, 1, 1, 0}, {0.5, 0, 2, -1, 3}}, 0, 3))
          .Text() == "");
  CHECK(CheckGlobalFactor(TreeFactor::Chain(4, TableFactor({4, 4}))).Text() == "");
  CHECK(CheckGlobalFactor(SomeTree()).Text() == "");
  CHECK(CheckGlobalFactor(TreeFactor({2, 3}, 0, {}, {})).Text() == "");
}

TEST_CASE("large factors are compared on a sample of states") {
  CHECK(CheckGlobalFactor(CardinalityFactor(40)).Text() == "");
  CHECK(CheckGlobalFactor(CardinalityFactor::ExactlyOne(40)).Text() == "");
  CHECK(CheckGlobalFactor(TreeFactor::Chain(30, TableFactor({5, 5}))).Text() == "");
}

TEST_CASE("a user-defined factor conforms") {
  for (const Index size : {1, 2, 4}) {
    for (const Index states : {1, 2, 3})
      CHECK(CheckGlobalFactor(test::AllEqualFactor(size, states)).Text() == "");
  }
}

TEST_CASE("faults are found and named") {
  CHECK(CheckGlobalFactor(Careless()).Text().find("Maximize does not find") != std::string::npos);
  CHECK(CheckGlobalFactor(Silent()).Text().find("IsRestricted() says that it does not") !=
        std::string::npos);
  CHECK(CheckGlobalFactor(Overwriting()).Text().find("AddFeatures does not add") !=
        std::string::npos);
  CHECK(CheckGlobalFactor(OutOfRange()).Text().find("state that does not exist") !=
        std::string::npos);
}

TEST_CASE("errors of a checked maximum name the factor") {
  const double weights[] = {1.0};
  const double messages[] = {0.0, 0.0};
  Index states[1];
  CHECK_THROWS_WITH_AS(CheckedMaximum(OutOfRange(), weights, messages, states),
                       doctest::Contains("global factor 'flawed' has a state that does not exist"),
                       std::invalid_argument);
  CHECK(CheckedMaximum(CardinalityFactor(1, 1, {{kAbsent, 0}, {}}, 0, 1), weights, messages,
                       states) == 1.0);
  CHECK(states[0] == 1);
}

TEST_CASE("unsound factors are refused") {
  CHECK_THROWS_AS(CardinalityFactor(0), std::invalid_argument);
  CHECK_THROWS_AS(CardinalityFactor::Between(3, 2, 1), std::invalid_argument);
  CHECK_THROWS_AS(CardinalityFactor::Between(3, 0, 4), std::invalid_argument);
  CHECK_THROWS_AS(CardinalityFactor(2, 1, {{0, 1, 0}, {}}, 0, 2), std::invalid_argument);
  CHECK_THROWS_AS(CardinalityFactor(2, 1, {{0, 0}, {}}, 0, 2), std::invalid_argument);
  const FeatureTable pair = TabulateFeatures(PottsFactor(2));
  CHECK_THROWS_AS(TreeFactor({2, 2}, 1, {pair}, {{0, 1, 0, 0}, {1, 0, 0, 0}}),
                  std::invalid_argument);  // cycle
  CHECK_THROWS_AS(TreeFactor({2, 2}, 1, {pair}, {{0, 0, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(TreeFactor({2, 3}, 1, {pair}, {{0, 1, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(TreeFactor({2, 2}, 1, {pair}, {{0, 1, 0, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(TreeFactor({2, 2}, 1, {pair}, {{0, 1, 1, 0}}), std::invalid_argument);
}
