// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/missing_values.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include <slackline/core/exact_sum.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
std::vector<double> FeatureMeans(const FeatureRows& rows, Index num_features,
                                 const std::vector<MissingValue>& missing, Ranks& ranks) {
  std::vector<ExactSum> sums(num_features);
  for (Index r = 0; r < rows.size(); ++r) {
    ForEachValue(rows.row(r), num_features,
                 [&](std::size_t f, double value) { sums[f].Add(value); });
  }
  AddUp(ranks, sums);
  std::vector<std::int64_t> known(num_features, rows.size());
  for (const MissingValue& value : missing) --known[value.feature];
  ranks.AddUp(known);
  std::vector<double> means(num_features, 0.0);
  for (std::size_t f = 0; f < means.size(); ++f) {
    if (known[f] == 0) continue;  // the sum is 0
    const double mean = sums[f].Round() / static_cast<double>(known[f]);
    means[f] = std::clamp(mean, -kLargestValue, kLargestValue);
  }
  return means;
}

FeatureRows FillMissing(const FeatureRows& rows, const std::vector<MissingValue>& missing,
                        const std::vector<double>& fill) {
  FeatureRows filled;
  auto next = missing.begin();
  std::vector<double> values;
  for (Index r = 0; r < rows.size(); ++r) {
    const FeatureRow row = rows.row(r);
    values.assign(row.values, row.values + row.count);
    for (; next != missing.end() && next->row == r; ++next) {
      const Index* columns = row.columns;
      const auto at = row.dense()
                          ? Offset{next->feature}
                          : std::lower_bound(columns, columns + row.count, next->feature) - columns;
      values[at] = fill[next->feature];
    }
    if (row.dense()) {
      filled.AddDense(values);
    } else {
      filled.AddSparse(std::span(row.columns, row.count), values);
    }
  }
  return filled;
}

}  // namespace slackline::internal
