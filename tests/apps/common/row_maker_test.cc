// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/row_maker.h>

#include <vector>

#include <doctest/doctest.h>

using namespace slackline::internal;

TEST_CASE("features in any order become sparse rows, and equal columns add up") {
  RowMaker maker;
  maker.Add(5, 2);
  maker.Add(1);
  maker.Add(5, 0.5);
  maker.Add(3, -1);
  maker.EndRow();
  maker.EndRow();
  maker.Add(0, 4);
  maker.EndRow();
  for (const Index column : {7, 2, 7, 4, 7}) maker.Add(column);
  maker.EndRow();
  const auto rows = maker.Finish();
  REQUIRE(rows->size() == 4);
  const FeatureRow row = rows->row(0);
  CHECK(std::vector<Index>(row.columns, row.columns + row.count) == std::vector<Index>{1, 3, 5});
  CHECK(std::vector<double>(row.values, row.values + row.count) == std::vector<double>{1, -1, 2.5});
  CHECK(rows->row(1).count == 0);
  CHECK(rows->row(2).columns[0] == 0);
  CHECK(rows->row(2).values[0] == 4);
  const FeatureRow ones = rows->row(3);
  CHECK(std::vector<Index>(ones.columns, ones.columns + ones.count) == std::vector<Index>{2, 4, 7});
  CHECK(std::vector<double>(ones.values, ones.values + ones.count) == std::vector<double>{1, 1, 3});
}
