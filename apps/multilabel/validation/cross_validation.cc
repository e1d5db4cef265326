// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/validation/cross_validation.h>

#include <memory>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
std::span<const MetricRecord> MetricRecords() {
  using M = MultiLabelMetrics;
  static const MetricRecord records[] = {
      {"hamming", "hamming_loss", "Hamming loss", &M::hamming_loss, true},
      {"subset", "subset_accuracy", "subset accuracy", &M::subset_accuracy},
      {"micro-f1", "micro_f1", "micro F1", &M::micro_f1},
      {"macro-f1", "macro_f1", "macro F1", &M::macro_f1},
      {"example-f1", "example_f1", "example F1", &M::example_f1},
      {"jaccard", "jaccard", "Jaccard index", &M::jaccard}};
  return records;
}

MultiLabelData SelectExamples(const MultiLabelData& data, std::span<const Index> examples) {
  MultiLabelData part;
  part.source = data.source;
  part.label_names = data.label_names;
  part.num_features = data.num_features;
  part.has_constant = data.has_constant;
  part.fill_values = data.fill_values;
  part.table = data.table;
  auto rows = std::make_shared<FeatureRows>();
  const std::size_t labels = data.label_names.size();
  for (const Index m : examples) {
    SLACKLINE_CHECK(m >= 0 && m < data.num_examples(), "there is no such example");
    const FeatureRow row = data.rows->row(m);
    const std::span<const double> values(row.values, row.count);
    if (row.dense()) {
      rows->AddDense(values);
    } else {
      rows->AddSparse(std::span<const Index>(row.columns, Size(row.count)), values);
    }
    const auto begin = data.labels.begin() + static_cast<std::ptrdiff_t>(Size(m) * labels);
    part.labels.insert(part.labels.end(), begin, begin + static_cast<std::ptrdiff_t>(labels));
    part.lines.push_back(data.lines[m]);
  }
  part.rows = std::move(rows);
  return part;
}

}  // namespace slackline::internal
