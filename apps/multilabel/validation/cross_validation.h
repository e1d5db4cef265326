// SPDX-License-Identifier: BSD-3-Clause
//
// The figures that multi-label models are compared by, and parts of data sets.
#pragma once

#include <span>
#include <string_view>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>

namespace slackline::internal {

/// A figure of MultiLabelMetrics by which values of λ are compared.
struct MetricRecord {
  std::string_view name;   ///< on the command line
  std::string_view key;    ///< in JSON
  std::string_view title;  ///< in tables
  double MultiLabelMetrics::*member;
  bool smaller_is_better = false;
};
std::span<const MetricRecord> MetricRecords();

/// The data with these examples only, in this order.
MultiLabelData SelectExamples(const MultiLabelData& data, std::span<const Index> examples);

}  // namespace slackline::internal
