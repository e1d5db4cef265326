// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/missing_values.h>

#include <algorithm>

#include <slackline/core/parse_number.h>

namespace slackline::internal {

FeatureMeanSums::FeatureMeanSums(Index num_features)
    : sums_(Size(num_features)), known_(Size(num_features), 0) {}

void FeatureMeanSums::Add(const FeatureRows& rows, std::span<const MissingValue> missing) {
  const auto num_features = static_cast<Index>(sums_.size());
  for (Index r = 0; r < rows.size(); ++r) {
    ForEachValue(rows.row(r), num_features,
                 [&](std::size_t f, double value) { sums_[f].Add(value); });
  }
  for (std::int64_t& known : known_) known += rows.size();
  for (const MissingValue& value : missing) --known_[Size(value.feature)];
}

std::vector<double> FeatureMeanSums::Finish(Ranks& ranks) {
  AddUp(ranks, sums_);
  ranks.AddUp(known_);
  std::vector<double> means(sums_.size(), 0.0);
  for (std::size_t f = 0; f < means.size(); ++f) {
    if (known_[f] == 0) continue;  // the sum is 0
    const double mean = sums_[f].Round() / static_cast<double>(known_[f]);
    means[f] = std::clamp(mean, -kLargestValue, kLargestValue);
  }
  return means;
}

std::vector<double> FeatureMeans(const FeatureRows& rows, Index num_features,
                                 const std::vector<MissingValue>& missing, Ranks& ranks) {
  FeatureMeanSums sums(num_features);
  sums.Add(rows, missing);
  return sums.Finish(ranks);
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
