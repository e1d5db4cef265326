// SPDX-License-Identifier: BSD-3-Clause
//
// --compare of `multilabel evaluate`: the metrics of a model next to those of independent labels.
// Part of the program only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>

namespace slackline::internal::program {

struct CompareTask {
  const MultiLabelModel& model;
  const MultiLabelMetrics& metrics;  ///< of the model on `test`
  const MultiLabelData& test;
  int threads = 1;
};

/// Trains the baseline on the data in `file` and appends the comparison to the result of evaluate:
/// entries "independent" and "difference" of the JSON, and a table. Returns the exit code. After an
/// interrupt it is not 0, and nothing is appended. Throws DataError.
int AddComparison(const CompareTask& task, const std::string& file, Json* json, std::string* table);

}  // namespace slackline::internal::program
