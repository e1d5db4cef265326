// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/weight_summary.h>

#include <cmath>

#include <doctest/doctest.h>

#include <slackline/core/check.h>

using namespace slackline::internal;

namespace {

std::string NamesOf(const std::vector<NamedWeight>& list) {
  std::string names;
  for (const NamedWeight& entry : list) names += entry.name + " ";
  return names;
}

std::string Number(Offset k) { return std::to_string(k); }

PairVisitor Visitor(const std::vector<std::tuple<Index, Index, double>>& pairs) {
  return [pairs](const std::function<void(Index, Index, double)>& visit) {
    for (const auto& [a, b, weight] : pairs) visit(a, b, weight);
  };
}

}  // namespace

TEST_CASE("the strongest weights come first, ties in order, and none that is 0") {
  const std::vector<double> values = {1, -2, 0, 3, 3, -5, 2, -0.0, -2};
  const StridedWeights weights{values, 0, 1, 9};
  const WeightRanking all = RankWeights(weights, 100, Number, nullptr);
  CHECK(NamesOf(all.positive) == "3 4 6 0 ");
  CHECK(NamesOf(all.negative) == "5 1 8 ");
  CHECK(all.num_positive == 4);
  CHECK(all.num_negative == 3);
  CHECK(all.negative[0].weight == -5);
  CHECK(std::isnan(all.negative[0].size));
  const WeightRanking two =
      RankWeights(weights, 2, Number, [](Offset k) { return 10.0 * static_cast<double>(k); });
  CHECK(NamesOf(two.positive) == "3 4 ");
  CHECK(NamesOf(two.negative) == "5 1 ");
  CHECK(two.num_positive == 4);
  CHECK(two.positive[1].size == 40);
  CHECK_THROWS_AS(RankWeights(weights, 0, Number, nullptr), std::invalid_argument);
}

TEST_CASE("the weights of one label are read with an offset and a stride") {
  const std::vector<double> values = {1, 10, 2, 20, 3, 30};
  CHECK(NamesOf(RankWeights({values, 1, 2, 2}, 5, Number, nullptr).positive) == "1 0 ");
  CHECK(RankWeights({values, 0, 2, 3}, 1, Number, nullptr).positive[0].weight == 3);
  CHECK(RankWeights({values, 0, 2, 0}, 1, Number, nullptr).positive.empty());
}

TEST_CASE("undirected pairs fill both cells of the matrix, directed pairs one") {
  const std::vector<std::string> labels = {"a", "b", "c"};
  const auto pairs = Visitor({{0, 1, 0.5}, {1, 2, -2}, {0, 2, 0}});
  const PairSummary both = RankPairs("pairs", false, labels, pairs, {1, 0, 10});
  CHECK(both.count == 3);
  REQUIRE(both.positive.size() == 1);
  CHECK(both.positive[0].first == "a");
  CHECK(both.positive[0].second == "b");
  REQUIRE(both.negative.size() == 1);
  CHECK(both.negative[0].weight == -2);
  REQUIRE(both.matrix.cells.size() == 9);
  CHECK(both.matrix.cells[1] == 0.5);
  CHECK(both.matrix.cells[3] == 0.5);
  CHECK(both.matrix.cells[2] == 0);
  CHECK(std::isnan(both.matrix.cells[0]));
  CHECK(both.matrix.num_left_out == 0);
  const PairSummary one = RankPairs("pairs", true, labels, pairs, {1, 0, 10});
  CHECK(one.matrix.cells[1] == 0.5);
  CHECK(std::isnan(one.matrix.cells[3]));
  CHECK(RankPairs("pairs", true, labels, pairs, {1, 0, 0}).matrix.cells.empty());
}

TEST_CASE("a matrix of many labels shows the labels of the strongest pairs, in their order") {
  const std::vector<std::string> labels = {"a", "b", "c", "d", "e"};
  const auto pairs = Visitor({{0, 1, 0.1}, {4, 2, -3}, {1, 3, 2}, {2, 2, 9}, {0, 4, 0.2}});
  const PairMatrix three = RankPairs("pairs", true, labels, pairs, {1, 0, 3}).matrix;
  // With c and e there is no room for the pair of b and d.
  CHECK(three.labels == std::vector<std::string>{"c", "e"});
  CHECK(three.num_left_out == 3);
  CHECK(three.cells[0] == 9);
  CHECK(three.cells[2] == -3);
  const PairMatrix four = RankPairs("pairs", true, labels, pairs, {1, 0, 4}).matrix;
  CHECK(four.labels == std::vector<std::string>{"b", "c", "d", "e"});
  CHECK(four.cells[0 * 4 + 2] == 2);
}

TEST_CASE("sizes and their meaning come from the scaling") {
  CHECK(std::isnan(TypicalSize(FeatureScaling(), 0)));
  const auto standard = FeatureScaling::FromNumbers(ScaleKind::kStandard, {1, 2}, {3, 4});
  CHECK(TypicalSize(standard, 1) == 4);
  CHECK(std::isnan(TypicalSize(standard, 2)));
  CHECK(ScalingNote(standard).find("one standard deviation") != std::string::npos);
  CHECK(ScalingNote(FeatureScaling()).find("does not scale") != std::string::npos);
  const auto largest = FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, {3, 4});
  CHECK(ScalingNote(largest).find("largest absolute value") != std::string::npos);
  const auto norm = FeatureScaling::FromNumbers(ScaleKind::kNorm, {}, {});
  CHECK(ScalingNote(norm).find("length") != std::string::npos);
}

TEST_CASE("the number of labels not shown is reported") {
  WeightSummary summary;
  CHECK(LabelsToShow(5, {10, 0, 0}, &summary) == 5);
  CHECK(LabelsToShow(5, {10, 5, 0}, &summary) == 5);
  CHECK(summary.notes.empty());
  CHECK(LabelsToShow(5, {10, 4, 0}, &summary) == 4);
  REQUIRE(summary.notes.size() == 1);
  CHECK(summary.notes[0].find("first 4 labels") != std::string::npos);
  CHECK(NumberedFeature(0) == "feature 1");
}
