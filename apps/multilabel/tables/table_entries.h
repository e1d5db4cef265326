// SPDX-License-Identifier: BSD-3-Clause
//
// The columns of a training table and the replacements of missing values, in model files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multilabel/tables/table_schema.h>
#include <slackline/core/model_file.h>

namespace slackline::internal {

/// What a model stores about how its training data were read.
struct InputRecord {
  /// One number per feature, or none (LIBSVM data, and models of earlier versions).
  std::vector<double> fill_values;
  std::shared_ptr<const TableSchema> table;  ///< null for ARFF and LIBSVM data
};

void SaveInputRecord(const InputRecord& input, ModelWriter* writer);

/// All entries are optional; those of a table come together, with fill values. Throws DataError
/// when they do not fit each other, the features (number and names) or the labels.
InputRecord LoadInputRecord(const ModelEntries& entries, Index num_features,
                            const std::vector<std::string>& feature_names,
                            const std::vector<std::string>& label_names);

}  // namespace slackline::internal
