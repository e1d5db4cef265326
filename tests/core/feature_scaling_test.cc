// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include <slackline/core/feature_scaling.h>
#include <slackline/core/random.h>
#include <tests/support/dealt.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Three dense features, the last one constant, followed by a constant 1.
FeatureRows DenseRows() {
  FeatureRows rows;
  for (const double x : {1.0, 2.0, 6.0}) rows.AddDense(std::vector<double>{x, -1000 * x, 5, 1});
  return rows;
}

FeatureRows SparseRows() {
  FeatureRows rows;
  rows.AddSparse(std::vector<Index>{0, 3}, std::vector<double>{2, 1});
  rows.AddSparse(std::vector<Index>{1, 3}, std::vector<double>{-8, 1});
  rows.AddSparse(std::vector<Index>{0, 1, 3}, std::vector<double>{4, 4, 1});
  rows.AddSparse(std::vector<Index>{3}, std::vector<double>{1});
  return rows;
}

std::vector<double> Column(const FeatureRows& rows, Index feature) {
  std::vector<double> values;
  for (Index r = 0; r < rows.size(); ++r) values.push_back(rows.row(r).values[feature]);
  return values;
}

std::vector<double> Values(const FeatureRow& row) { return {row.values, row.values + row.count}; }

}  // namespace

TEST_CASE(
    "standard: mean 0 and deviation 1, except for constants and columns behind the features") {
  const FeatureRows rows = DenseRows();
  const FeatureScaling scaling = FeatureScaling::Learn(ScaleKind::kStandard, rows, 3);
  const auto scaled = scaling.Apply(rows, 3);
  for (const Index feature : {0, 1}) {
    double mean = 0;
    double squares = 0;
    for (const double x : Column(*scaled, feature)) {
      mean += x / 3;
      squares += x * x / 3;
    }
    CHECK(std::abs(mean) < kExact);
    CHECK(std::abs(squares - 1) < kExact);
  }
  CHECK(Column(*scaled, 2) == std::vector<double>{0, 0, 0});
  CHECK(Column(*scaled, 3) == std::vector<double>{1, 1, 1});
  // The unit of a feature has no effect except rounding.
  CHECK(std::abs(Column(*scaled, 0)[2] + Column(*scaled, 1)[2]) < kExact);
}

TEST_CASE(
    "sparse rows keep their zeros: standard divides by the deviation, max-abs by the largest "
    "value") {
  const FeatureRows rows = SparseRows();
  const FeatureScaling standard = FeatureScaling::Learn(ScaleKind::kStandard, rows, 3);
  CHECK(standard.shift().empty());
  CHECK(std::abs(standard.divisor()[0] - std::sqrt((4 + 16) / 4.0 - 1.5 * 1.5)) < kExact);
  CHECK(standard.divisor()[2] == 1);  // the feature never occurs
  const FeatureScaling largest = FeatureScaling::Learn(ScaleKind::kMaxAbs, rows, 3);
  const auto scaled = largest.Apply(rows, 3);
  CHECK(Values(scaled->row(0)) == std::vector<double>{0.5, 1});
  CHECK(Values(scaled->row(1)) == std::vector<double>{-1, 1});
  CHECK(Values(scaled->row(2)) == std::vector<double>{1, 0.5, 1});
  CHECK_FALSE(scaled->row(0).dense());
  CHECK(scaled->row(0).columns[1] == 3);
}

TEST_CASE("sparse rows are centred where training rows were dense, and equal dense rows") {
  const FeatureScaling scaling = FeatureScaling::Learn(ScaleKind::kStandard, DenseRows(), 3);
  FeatureRows dense;
  dense.AddDense(std::vector<double>{2, 0, 5, 1});
  dense.AddDense(std::vector<double>{0, 0, 0, 1});
  FeatureRows sparse;
  sparse.AddSparse(std::vector<Index>{0, 2, 3}, std::vector<double>{2, 5, 1});
  sparse.AddSparse(std::vector<Index>{3}, std::vector<double>{1});
  sparse.AddSparse(std::vector<Index>{}, std::vector<double>{});
  const auto expected = scaling.Apply(dense, 3);
  const auto scaled = scaling.Apply(sparse, 3);
  for (Index r = 0; r < 2; ++r) CHECK(Values(scaled->row(r)) == Values(expected->row(r)));
  CHECK(scaled->row(2).count == 3);  // nothing is added behind the features
}

TEST_CASE(
    "norm: inputs have length 1 without the columns behind the features; zero inputs stay zero") {
  const FeatureScaling scaling = FeatureScaling::Learn(ScaleKind::kNorm, SparseRows(), 3);
  const auto scaled = scaling.Apply(SparseRows(), 3);
  CHECK(Values(scaled->row(0)) == std::vector<double>{1, 1});
  CHECK(std::abs(scaled->row(2).squared_norm - 2) < kExact);
  CHECK(Values(scaled->row(3)) == std::vector<double>{1});
  CHECK(scaling.divisor().empty());
}

TEST_CASE("a scaling rebuilt from its numbers is the same scaling") {
  const FeatureRows rows = DenseRows();
  for (const ScaleKind kind : {ScaleKind::kStandard, ScaleKind::kMaxAbs, ScaleKind::kNorm}) {
    const FeatureScaling learned = FeatureScaling::Learn(kind, rows, 3);
    const FeatureScaling read =
        FeatureScaling::FromNumbers(kind, learned.shift(), learned.divisor());
    for (Index r = 0; r < rows.size(); ++r)
      CHECK(Values(learned.Apply(rows, 3)->row(r)) == Values(read.Apply(rows, 3)->row(r)));
    CHECK(read.Fits(3));
    CHECK(read.Fits(2) == (kind == ScaleKind::kNorm));
  }
  CHECK_THROWS_AS(FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, {1, 0}),
                  std::invalid_argument);
  CHECK_THROWS_AS(FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {1}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(FeatureScaling::FromNumbers(ScaleKind::kStandard, {1}, {1, 1}),
                  std::invalid_argument);
  CHECK_THROWS_AS(FeatureScaling::FromNumbers(ScaleKind::kStandard, {}, {NAN}),
                  std::invalid_argument);
  CHECK_THROWS_AS(FeatureScaling::FromNumbers(ScaleKind::kNorm, {}, {1}), std::invalid_argument);
}

TEST_CASE("values far outside of the training data are refused with their row and feature") {
  const FeatureScaling scaling = FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, {1, 1e-45});
  FeatureRows rows;
  rows.AddDense(std::vector<double>{1e50, 0});
  rows.AddDense(std::vector<double>{0, 1e10});
  try {
    scaling.Apply(rows, 2);
    FAIL("no error");
  } catch (const ScaleError& error) {
    CHECK(error.row() == 1);
    CHECK(std::string(error.what()).find("feature 2 is too large") != std::string::npos);
  }
}

TEST_CASE(
    "advice: none for similar sizes, standard for dense and max-abs for sparse rows that differ") {
  Random random(1);
  const auto dense = [&](const std::vector<double>& sizes) {
    FeatureRows rows;
    for (int m = 0; m < 40; ++m) {
      std::vector<double> x;
      for (const double size : sizes) x.push_back(size * (random.Below(2) == 0 ? -1 : 1));
      rows.AddDense(x);
    }
    return rows;
  };
  const auto kind = [](const FeatureRows& rows, Index features) {
    return AdviseScaling(rows, features).kind;
  };
  CHECK(kind(dense({1, 1, 1}), 3) == ScaleKind::kUnscaled);
  CHECK(kind(dense({1, 3, 19}), 3) == ScaleKind::kUnscaled);
  CHECK(kind(dense({1, 1, 21}), 3) == ScaleKind::kStandard);
  CHECK(kind(dense({4, 4, 4}), 3) == ScaleKind::kUnscaled);
  CHECK(kind(dense({6, 6, 6}), 3) == ScaleKind::kStandard);
  CHECK(kind(dense({1, 1, 0.01}), 3) == ScaleKind::kStandard);
  // The scale of all features together matters: it is compared with the constant of a model.
  CHECK(kind(dense({1000, 1000, 1000}), 3) == ScaleKind::kStandard);
  CHECK(kind(dense({0.001, 0.001, 0.001}), 3) == ScaleKind::kStandard);
  CHECK(kind(dense(std::vector<double>(100, 0.1)), 100) == ScaleKind::kUnscaled);
  CHECK_FALSE(AdviseScaling(dense({1000, 1000, 1000}), 3).differ);
  // One rare small value among many sparse ones is no reason to scale; one large feature is.
  FeatureRows rare;
  FeatureRows large;
  for (Index m = 0; m < 40; ++m) {
    rare.AddSparse(std::vector<Index>{m}, std::vector<double>{m == 7 ? 0.01 : 1.0});
    large.AddSparse(std::vector<Index>{m, 40}, std::vector<double>{1, 500});
  }
  CHECK(kind(rare, 40) == ScaleKind::kUnscaled);
  CHECK(kind(large, 41) == ScaleKind::kMaxAbs);
  CHECK(AdviseScaling(large, 41).largest_feature == 40);
  CHECK(kind(large, 40) == ScaleKind::kUnscaled);  // a constant behind the features does not count
  CHECK(kind(FeatureRows(), 3) == ScaleKind::kUnscaled);
}

namespace {

/// Columns of very different sizes and means; one is constant, one is 0 in most rows.
FeatureRows DrawnRows(bool sparse) {
  Random random(17);
  FeatureRows rows;
  for (int r = 0; r < 67; ++r) {
    std::vector<double> x;
    for (const double size : {1e-3, 1.0, 1e4})
      x.push_back(size * (3 + random.Uniform() * random.Uniform()));
    x.push_back(7.5);
    x.push_back(random.Below(5) == 0 ? random.Uniform() - 0.5 : 0);
    if (!sparse) {
      rows.AddDense(x);
      continue;
    }
    std::vector<Index> columns;
    std::vector<double> values;
    for (Index f = 0; f < 5; ++f) {
      if (x[Size(f)] == 0 || random.Below(4) == 0) continue;
      columns.push_back(f);
      values.push_back(x[Size(f)]);
    }
    rows.AddSparse(columns, values);
  }
  return rows;
}

}  // namespace

TEST_CASE("a scaling has the same bits however the rows are dealt to ranks") {
  for (const bool sparse : {false, true}) {
    const FeatureRows rows = DrawnRows(sparse);
    for (const ScaleKind kind :
         {ScaleKind::kUnscaled, ScaleKind::kStandard, ScaleKind::kMaxAbs, ScaleKind::kNorm}) {
      CAPTURE(sparse);
      CAPTURE(Name(kind));
      const FeatureScaling plain = FeatureScaling::Learn(kind, rows, 5);
      const FeatureScaling exact = FeatureScaling::Learn(kind, rows, 5, &OneRank());
      CHECK(plain.divisor() == exact.divisor());
      CHECK(plain.shift() == exact.shift());
      for (const int size : {1, 2, 3, 5}) {
        const auto scalings = OnEachRank(size, [&](ThreadRanks& ranks) {
          return FeatureScaling::Learn(kind, *PartOf(rows, ranks), 5, &ranks);
        });
        for (const FeatureScaling& scaling : scalings) {
          CHECK(scaling.divisor() == exact.divisor());
          CHECK(scaling.shift() == exact.shift());
        }
      }
    }
  }
}

TEST_CASE("rows that are sparse on one rank alone are not centred on any") {
  FeatureRows rows;
  rows.AddDense(std::vector<double>{1, 2});
  rows.AddDense(std::vector<double>{3, 5});
  rows.AddSparse(std::vector<Index>{1}, std::vector<double>{4});
  const auto scalings = OnEachRank(3, [&](ThreadRanks& ranks) {
    return FeatureScaling::Learn(ScaleKind::kStandard, *PartOf(rows, ranks), 2, &ranks);
  });
  for (const FeatureScaling& scaling : scalings) CHECK(scaling.shift().empty());
}

TEST_CASE("ranks get the advice for all rows") {
  for (const bool sparse : {false, true}) {
    const FeatureRows rows = DrawnRows(sparse);
    const ScaleAdvice exact = AdviseScaling(rows, 5, &OneRank());
    CHECK(exact.kind == (sparse ? ScaleKind::kMaxAbs : ScaleKind::kStandard));
    CHECK(exact.kind == AdviseScaling(rows, 5).kind);
    for (const int size : {2, 3, 5}) {
      const auto advices = OnEachRank(
          size, [&](ThreadRanks& ranks) { return AdviseScaling(*PartOf(rows, ranks), 5, &ranks); });
      for (const ScaleAdvice& advice : advices) {
        CHECK(advice.kind == exact.kind);
        CHECK(advice.smallest == exact.smallest);
        CHECK(advice.middle == exact.middle);
        CHECK(advice.largest == exact.largest);
        CHECK(advice.smallest_feature == exact.smallest_feature);
        CHECK(advice.largest_feature == exact.largest_feature);
        CHECK(advice.differ == exact.differ);
      }
    }
  }
}
