// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/feature_rows.h>

#include <cmath>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <slackline/core/file_map.h>
#include <slackline/core/random.h>
#include <slackline/core/row_kernels.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/tolerances.h>
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<double> Expand(const FeatureRow& row, Index dimension) {
  std::vector<double> dense(dimension, 0.0);
  for (Index k = 0; k < row.count; ++k) dense[row.dense() ? k : row.columns[k]] = row.values[k];
  return dense;
}

/// Rows of up to `dimension` features, alternately dense and sparse; some are empty.
FeatureRows RandomRows(Random* random, int count, Index dimension) {
  FeatureRows rows;
  for (int r = 0; r < count; ++r) {
    std::vector<Index> columns;
    std::vector<double> values;
    if (r % 2 == 0) {
      for (std::uint64_t f = random->Below(static_cast<std::uint64_t>(dimension) + 1); f > 0; --f) {
        values.push_back(random->Normal());
      }
      rows.AddDense(values);
    } else {
      for (Index f = 0; f < dimension; ++f) {
        if (random->Below(3) != 0) continue;
        columns.push_back(f);
        values.push_back(random->Normal());
      }
      rows.AddSparse(columns, values);
    }
  }
  return rows;
}

/// Whether the rows are equal, bit for bit.
bool SameRows(const FeatureRows& a, const FeatureRows& b) {
  if (a.size() != b.size() || a.dimension() != b.dimension()) return false;
  for (Index r = 0; r < a.size(); ++r) {
    const FeatureRow x = a.row(r), y = b.row(r);
    if (x.dense() != y.dense() || x.count != y.count || x.squared_norm != y.squared_norm)
      return false;
    if (!std::equal(x.values, x.values + x.count, y.values)) return false;
    if (!x.dense() && !std::equal(x.columns, x.columns + x.count, y.columns)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("rows come back as they were added, with their norms") {
  FeatureRows rows;
  CHECK(rows.size() == 0);
  CHECK(rows.dimension() == 0);
  CHECK(rows.AddDense(std::vector<double>{1, 0, -2}) == 0);
  CHECK(rows.AddSparse(std::vector<Index>{1, 6}, std::vector<double>{3, 4}) == 1);
  CHECK(rows.size() == 2);
  CHECK(rows.dimension() == 7);
  CHECK(rows.stored() == 5);
  CHECK(rows.row(0).dense());
  CHECK(rows.row(0).squared_norm == 5);
  CHECK_FALSE(rows.row(1).dense());
  CHECK(rows.row(1).squared_norm == 25);
  CHECK(Expand(rows.row(0), 7) == std::vector<double>{1, 0, -2, 0, 0, 0, 0});
  CHECK(Expand(rows.row(1), 7) == std::vector<double>{0, 3, 0, 0, 0, 0, 4});
}

TEST_CASE("rows in reserved room do not move") {
  FeatureRows rows;
  rows.Reserve(3, 6, 2);
  CHECK(rows.size() == 0);
  CHECK(rows.stored() == 0);
  CHECK(rows.stored_columns() == 0);
  rows.AddDense(std::vector<double>{1, 2});
  const double* const values = rows.row(0).values;
  rows.AddSparse(std::vector<Index>{1, 6}, std::vector<double>{3, 4});
  rows.AddDense(std::vector<double>{5, 6});
  CHECK(rows.row(0).values == values);
  CHECK(rows.stored() == 6);
  CHECK(rows.stored_columns() == 2);
  CHECK(Expand(rows.row(1), 7) == std::vector<double>{0, 3, 0, 0, 0, 0, 4});
}

TEST_CASE("rows with equal ends share their values without changing") {
  FeatureRows rows;
  std::vector<std::vector<double>> expected;
  const auto add = [&](const std::vector<Index>& columns, const std::vector<double>& values) {
    rows.AddSparse(columns, values);
    expected.emplace_back(10, 0.0);
    for (std::size_t k = 0; k < columns.size(); ++k) expected.back()[columns[k]] = values[k];
  };
  add({0, 2, 4}, {1, 1, 1});
  add({1, 3}, {1, 1});
  add({1, 3, 5, 7}, {1, 1, 1, 1});
  add({9}, {1});
  add({}, {});
  add({0, 1}, {2, 1});
  add({4}, {1});
  add({4, 5}, {-1, 1});
  add({4}, {0.0});
  add({4}, {-0.0});
  CHECK(rows.stored() == 3 + 4 + 2 + 2 + 1 + 1);
  for (Index r = 0; r < rows.size(); ++r) CHECK(Expand(rows.row(r), 10) == expected[r]);
  CHECK(std::signbit(rows.row(9).values[0]));
  CHECK_FALSE(std::signbit(rows.row(8).values[0]));
  CHECK(rows.row(2).squared_norm == 4);
}

TEST_CASE("an empty sparse row is sparse, even as the only row") {
  FeatureRows rows;
  rows.AddSparse({}, {});
  CHECK_FALSE(rows.row(0).dense());
  CHECK(rows.row(0).count == 0);
  const FeatureRows copy = rows;
  CHECK_FALSE(copy.row(0).dense());
  const FeatureRows moved = std::move(rows);
  CHECK_FALSE(moved.row(0).dense());
}

TEST_CASE("views have the rows that adding them makes, in the place of the values") {
  const std::vector<double> values = {1, 0, -2, 0.5, 3, -1};
  const FeatureRows dense = FeatureRows::DenseView(values, 3, nullptr);
  FeatureRows added;
  added.AddDense(std::span(values).first(3));
  added.AddDense(std::span(values).last(3));
  CHECK(dense.is_view());
  CHECK(SameRows(dense, added));
  CHECK(dense.row(1).values == values.data() + 3);
  CHECK(dense.stored() == 6);

  const std::vector<Offset> starts = {1, 3, 3, 5};  // the first value and column are of no row
  const std::vector<Index> columns = {9, 1, 4, 0, 2};
  const std::vector<double> stored = {7, 1, 4, 5, 6};
  const FeatureRows sparse = FeatureRows::SparseView(starts, columns, stored, nullptr);
  FeatureRows rows;
  rows.AddSparse(std::vector<Index>{1, 4}, std::vector<double>{1, 4});
  rows.AddSparse({}, {});
  rows.AddSparse(std::vector<Index>{0, 2}, std::vector<double>{5, 6});
  CHECK(SameRows(sparse, rows));
  CHECK(sparse.row(2).columns == columns.data() + 3);
  CHECK(sparse.stored_columns() == 5);
}

TEST_CASE("views without values have empty rows") {
  CHECK(FeatureRows::DenseView({}, 3, nullptr).size() == 0);
  CHECK(FeatureRows::DenseView({}, 3, nullptr).dimension() == 0);
  const std::vector<Offset> starts = {0, 0, 0};
  const FeatureRows sparse = FeatureRows::SparseView(starts, {}, {}, nullptr);
  CHECK(sparse.size() == 2);
  CHECK_FALSE(sparse.row(1).dense());
  CHECK(sparse.row(1).count == 0);
  CHECK(sparse.stored_columns() == 0);
  CHECK(FeatureRows::SparseView(std::span(starts).first(1), {}, {}, nullptr).size() == 0);
}

TEST_CASE("a view keeps its owner; a copy of it and rows added to it do without") {
  const auto owner = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4});
  FeatureRows view = FeatureRows::DenseView(*owner, 2, owner);
  CHECK(owner.use_count() == 2);
  const FeatureRows copy = view;
  CHECK(owner.use_count() == 2);
  CHECK_FALSE(copy.is_view());
  CHECK(SameRows(copy, view));
  view.AddSparse(std::vector<Index>{5}, std::vector<double>{7});
  CHECK_FALSE(view.is_view());
  CHECK(owner.use_count() == 1);
  CHECK(*owner == std::vector<double>{1, 2, 3, 4});
  FeatureRows added;
  added.AddDense(std::vector<double>{1, 2});
  added.AddDense(std::vector<double>{3, 4});
  added.AddSparse(std::vector<Index>{5}, std::vector<double>{7});
  CHECK(SameRows(view, added));

  const auto stored = std::make_shared<std::vector<double>>(std::vector<double>{8, 9});
  const std::vector<Offset> starts = {0, 2};
  const std::vector<Index> columns = {1, 3};
  FeatureRows sparse = FeatureRows::SparseView(starts, columns, *stored, stored);
  sparse.AddSparse({}, {});
  sparse.AddSparse(std::vector<Index>{0}, std::vector<double>{4});
  FeatureRows expected;
  expected.AddSparse(columns, *stored);
  expected.AddSparse({}, {});
  expected.AddSparse(std::vector<Index>{0}, std::vector<double>{4});
  CHECK(SameRows(sparse, expected));
  CHECK(stored.use_count() == 1);
  CHECK(sparse.stored_columns() == 3);
}

TEST_CASE("views of bad rows are refused, and their owners released") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto owner = std::make_shared<int>(1);
  const auto dense = [&](std::vector<double> values, Index columns) {
    FeatureRows::DenseView(values, columns, owner);
  };
  CHECK_THROWS_AS(dense({1, 2, 3}, 2), std::invalid_argument);
  CHECK_THROWS_AS(dense({}, 0), std::invalid_argument);
  CHECK_THROWS_AS(dense({1, 2, 3, nan}, 2), std::invalid_argument);
  CHECK_THROWS_AS(dense({1e200, 1}, 2), std::invalid_argument);
  const auto sparse = [&](std::vector<Offset> starts, std::vector<Index> columns,
                          std::vector<double> values) {
    FeatureRows::SparseView(starts, columns, values, owner);
  };
  CHECK_NOTHROW(sparse({0, 1, 2}, {3, 3}, {1, 2}));
  CHECK_THROWS_AS(sparse({}, {}, {}), std::invalid_argument);
  CHECK_THROWS_AS(sparse({-1, 1}, {3}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(sparse({0, 2, 1}, {3, 4}, {1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(sparse({0, 2}, {3}, {1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(sparse({0, 2}, {3, 4}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(sparse({0, 2}, {3, 3}, {1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(sparse({0, 1}, {-1}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(sparse({0, 1}, {0}, {kInfinity}), std::invalid_argument);
  CHECK(owner.use_count() == 1);
}

TEST_CASE("bad rows are refused and leave nothing behind") {
  FeatureRows rows;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(rows.AddDense(std::vector<double>{1, nan}), std::invalid_argument);
  CHECK_THROWS_AS(rows.AddDense(std::vector<double>{kInfinity}), std::invalid_argument);
  CHECK_THROWS_AS(rows.AddSparse(std::vector<Index>{1}, std::vector<double>{-kInfinity}),
                  std::invalid_argument);
  CHECK_THROWS_AS(rows.AddSparse(std::vector<Index>{1, 1}, std::vector<double>{1, 2}),
                  std::invalid_argument);
  CHECK_THROWS_AS(rows.AddSparse(std::vector<Index>{2, 1}, std::vector<double>{1, 2}),
                  std::invalid_argument);
  CHECK_THROWS_AS(rows.AddSparse(std::vector<Index>{-1}, std::vector<double>{1}),
                  std::invalid_argument);
  CHECK_THROWS_AS(rows.AddSparse(std::vector<Index>{1}, std::vector<double>{1, 2}),
                  std::invalid_argument);
  CHECK(rows.size() == 0);
  CHECK(rows.stored() == 0);
  CHECK(rows.dimension() == 0);
}

TEST_CASE("inner products of dense and sparse rows agree with the sum over all features") {
  Random random(1);
  constexpr Index kDimension = 12;
  const FeatureRows rows = RandomRows(&random, 24, kDimension);
  for (Index a = 0; a < rows.size(); ++a) {
    const std::vector<double> x = Expand(rows.row(a), kDimension);
    for (Index b = 0; b < rows.size(); ++b) {
      const std::vector<double> y = Expand(rows.row(b), kDimension);
      double expected = 0;
      for (std::size_t f = 0; f < x.size(); ++f) expected += x[f] * y[f];
      CHECK(Near(Dot(rows.row(a), rows.row(b)), expected, kExact));
    }
    CHECK(Near(Dot(rows.row(a), rows.row(a)), rows.row(a).squared_norm, kExact));
  }
}

TEST_CASE("the kernels for several inputs agree with those for one") {
  Random random(5);
  FeatureRows inputs;
  constexpr Index kDimension = 11;
  std::vector<double> dense(kDimension);
  // 14 dense inputs of one length, a sparse one, a shorter one and 7 more of the first length.
  for (int k = 0; k < 23; ++k) {
    for (double& x : dense) x = random.Normal();
    if (k == 14) {
      inputs.AddSparse(std::array<Index, 2>{3, 8}, std::array<double, 2>{1.5, -2});
    } else {
      inputs.AddDense(std::span(dense.data(), k == 15 ? 4 : kDimension));
    }
  }
  for (Index rows = 1; rows <= 26; ++rows) {
    const std::size_t size = rows;
    std::vector<double> weights = Normals(random, size * kDimension);
    std::vector<double> scores(size * 23 + 1, -77.0), expected(size * 23);
    std::vector<double> delta = Normals(random, size * 23);
    std::vector<FeatureRow> x;
    std::vector<double*> to;
    std::vector<const double*> from;
    std::vector<double> updated = weights, wanted = weights;
    updated.push_back(-77.0);
    for (std::size_t k = 0; k < 23; ++k) {
      x.push_back(inputs.row(static_cast<Index>(k)));
      to.push_back(scores.data() + k * size);
      from.push_back(delta.data() + k * size);
      RowScores(weights.data(), rows, x[k], expected.data() + k * size);
      RowUpdate(wanted.data(), rows, x[k], delta.data() + k * size);
    }
    RowsScores(weights.data(), rows, x, to);
    RowsUpdate(updated.data(), rows, x, from);
    bool agree = true;
    for (std::size_t k = 0; k < expected.size(); ++k)
      agree = agree && Near(scores[k], expected[k], kExact);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      agree = agree && Near(updated[k], wanted[k], kExact);
    CAPTURE(rows);
    CHECK(agree);
    CHECK(scores.back() == -77.0);
    CHECK(updated.back() == -77.0);
  }
}

TEST_CASE("the row kernels agree with plain loops for 1 to 40 weight rows") {
  Random random(2);
  constexpr Index kDimension = 9;
  const FeatureRows inputs = RandomRows(&random, 8, kDimension);
  for (Index rows = 1; rows <= 40; ++rows) {
    const std::size_t size = rows;
    std::vector<double> weights = Normals(random, size * kDimension);
    for (Index r = 0; r < inputs.size(); ++r) {
      const std::vector<double> x = Expand(inputs.row(r), kDimension);
      std::vector<double> scores(size + 1, -77.0);
      RowScores(weights.data(), rows, inputs.row(r), scores.data());
      std::vector<double> delta = Normals(random, size);
      std::vector<double> updated = weights;
      updated.push_back(-77.0);
      RowUpdate(updated.data(), rows, inputs.row(r), delta.data());
      bool scores_agree = true;
      bool updates_agree = true;
      for (std::size_t row = 0; row < size; ++row) {
        double expected = 0;
        for (std::size_t f = 0; f < kDimension; ++f) {
          expected += x[f] * weights[f * size + row];
          updates_agree =
              updates_agree &&
              Near(updated[f * size + row], weights[f * size + row] + x[f] * delta[row], kExact);
        }
        scores_agree = scores_agree && Near(scores[row], expected, kExact);
      }
      CAPTURE(rows);
      CAPTURE(r);
      CHECK(scores_agree);
      CHECK(updates_agree);
      CHECK(scores.back() == -77.0);  // nothing is written past the end
      CHECK(updated.back() == -77.0);
    }
  }
}

TEST_CASE("rows of a mapped file are read where they lie") {
  const TemporaryFolder folder;
  const std::array<double, 5> values = {1, 2, 3, -4, 0.5};
  const std::array<Index, 2> columns = {1, 7};
  std::string bytes(reinterpret_cast<const char*>(values.data()), sizeof(values));
  bytes.append(reinterpret_cast<const char*>(columns.data()), sizeof(columns));
  const auto map =
      std::make_shared<const FileMap>(std::vector<std::string>{folder.Write("rows", bytes)});
  FeatureRows rows(map);
  CHECK(rows.AddMapped(0, -1, 3) == 0);
  CHECK(rows.AddMapped(24, 40, 2) == 1);
  CHECK(rows.AddMapped(40, 48, 0) == 2);
  CHECK(rows.in_file());
  CHECK(rows.dimension() == 8);
  CHECK(static_cast<const void*>(rows.row(0).values) == map->bytes().data());
  CHECK(rows.row(0).dense());
  CHECK(rows.row(0).squared_norm == 14);
  CHECK(Expand(rows.row(1), 8) == std::vector<double>{0, -4, 0, 0, 0, 0, 0, 0.5});
  CHECK(!rows.row(2).dense());
  CHECK(rows.row(2).count == 0);
  rows.WillNeed(0, 3);
  rows.PrefetchEntries(0, 3);
  rows.PrefetchValues(0, 3);
  const FeatureRows copy = rows;
  CHECK(!copy.in_file());
  CHECK(Expand(copy.row(1), 8) == Expand(rows.row(1), 8));
  copy.WillNeed(0, 3);
  CHECK_THROWS_AS(rows.AddDense(std::vector<double>{1}), std::invalid_argument);
  CHECK_THROWS_AS(rows.AddMapped(4, -1, 1), std::invalid_argument);
  CHECK_THROWS_AS(rows.AddMapped(0, 46, 0), std::invalid_argument);
  CHECK_THROWS_AS(rows.AddMapped(-8, -1, 1), std::invalid_argument);
  CHECK_THROWS_AS(rows.AddMapped(0, -1, 1 << 20), std::invalid_argument);
  CHECK_THROWS_AS(rows.AddMapped(0, 4, 2), std::invalid_argument);  // columns that do not increase
  CHECK(rows.size() == 3);
  CHECK_THROWS_AS(FeatureRows().AddMapped(0, -1, 0), std::invalid_argument);
}

TEST_CASE("windows end in ascending order with the last row") {
  FeatureRows rows;
  for (int r = 0; r < 5; ++r) rows.AddDense(std::vector<double>{1});
  rows.SetWindows({2, 5});
  CHECK(rows.window_ends().size() == 2);
  CHECK_THROWS_AS(rows.SetWindows({2, 2, 5}), std::invalid_argument);
  CHECK_THROWS_AS(rows.SetWindows({2, 4}), std::invalid_argument);
  CHECK_THROWS_AS(rows.SetWindows({0, 5}), std::invalid_argument);
  rows.SetWindows({});
  CHECK(rows.window_ends().empty());
}
