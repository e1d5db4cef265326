// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/score_parts.h>

#include <cmath>
#include <stdexcept>

#include <doctest/doctest.h>

#include <slackline/apps/common/weight_summary.h>
#include <slackline/core/check.h>

using namespace slackline::internal;

namespace {

const std::vector<double> kWeights = {1, 0, -2, 0, 3, 0, 4, 0};  // of two labels, four features

ScoreSum Sum(const FeatureRows& rows, const FeatureScaling& scaling, Index top) {
  return TakeApart({kWeights, 2, 0, 3}, rows.row(0), scaling, top, NumberedFeature);
}

}  // namespace

TEST_CASE("parts are sorted by their contributions, and the rest is summed") {
  FeatureRows rows;
  rows.AddDense(std::vector<double>{2, 5, 0, 1000});  // the last feature does not count
  const ScoreSum sum = Sum(rows, FeatureScaling(), 1);
  CHECK(sum.total == 2 - 10);
  CHECK(sum.magnitude == 12);
  REQUIRE(sum.parts.size() == 1);
  CHECK(sum.parts[0].name == "feature 2");
  CHECK(sum.parts[0].value == 5);
  CHECK(sum.parts[0].raw == 5);
  CHECK(sum.parts[0].weight == -2);
  CHECK(sum.parts[0].score == -10);
  CHECK(sum.num_others == 1);
  CHECK(sum.others == 2);
  const ScoreSum all = Sum(rows, FeatureScaling(), 10);
  CHECK(all.parts.size() == 2);
  CHECK(all.num_others == 0);
  CHECK_THROWS_AS(Sum(rows, FeatureScaling(), 0), std::invalid_argument);
}

TEST_CASE("values are shown as the data had them") {
  const auto standard = FeatureScaling::FromNumbers(ScaleKind::kStandard, {10, 20, 30}, {2, 4, 8});
  FeatureRows dense;
  dense.AddDense(std::vector<double>{1, 0, -1, 1});
  CHECK(Sum(dense, standard, 5).parts[1].raw == 12);
  CHECK(Sum(dense, standard, 5).parts[0].raw == 30 - 8);
  // Sparse vectors are not shifted.
  FeatureRows sparse;
  sparse.AddSparse(std::vector<Index>{2, 3}, std::vector<double>{-1, 1});
  CHECK(Sum(sparse, standard, 5).parts[0].raw == -8);
  CHECK(Sum(sparse, standard, 5).total == -3);
  const auto norm = FeatureScaling::FromNumbers(ScaleKind::kNorm, {}, {});
  CHECK(std::isnan(Sum(sparse, norm, 5).parts[0].raw));
}

TEST_CASE("sums of the same terms agree up to rounding") {
  CHECK_NOTHROW(CheckSums(1, 1 + 1e-10, 1));
  CHECK_THROWS_AS(CheckSums(1, 1 + 1e-8, 1), std::logic_error);
  CHECK_NOTHROW(CheckSums(0, 1e-4, 1e6));
  CHECK_THROWS_AS(CheckSums(std::nan(""), 1, 1), std::logic_error);
  CHECK_THROWS_AS(CheckSums(kInfinity, kInfinity, kInfinity), DataError);
}
