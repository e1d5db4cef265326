// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of data, of examples or of tokens.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_rows.h>

namespace slackline::internal::test {

template <class Data>
std::vector<double> Dense(const Data& data, Index m) {
  const FeatureRow row = data.rows->row(m);
  REQUIRE(row.dense());
  return {row.values, row.values + row.count};
}

using RowContent = std::pair<std::vector<Index>, std::vector<double>>;

template <class Data>
RowContent Sparse(const Data& data, Index m) {
  const FeatureRow row = data.rows->row(m);
  REQUIRE_FALSE(row.dense());
  return {{row.columns, row.columns + row.count}, {row.values, row.values + row.count}};
}

inline void CheckSameRow(const FeatureRow& a, const FeatureRow& b) {
  REQUIRE(a.dense() == b.dense());
  REQUIRE(a.count == b.count);
  CHECK(std::equal(a.values, a.values + a.count, b.values));
  if (!a.dense()) CHECK(std::equal(a.columns, a.columns + a.count, b.columns));
  CHECK(a.squared_norm == b.squared_norm);
}

}  // namespace slackline::internal::test
