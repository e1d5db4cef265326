// SPDX-License-Identifier: BSD-3-Clause
//
// The inputs of a model that predicts one column, or the first field, of its data: the features,
// how they are scaled, and how data are read.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/table_entries.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal {

class ModelInputs {
 public:
  /// Requires at least one feature, else std::invalid_argument.
  explicit ModelInputs(Index num_features);

  Index num_features() const { return num_features_; }  ///< without the constant
  /// Names of the features; empty if they only have numbers.
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// Requires a name for every feature, or none.
  void set_feature_names(std::vector<std::string> names);
  /// The scaling of the features, which callers apply to inputs.
  const FeatureScaling& scaling() const { return scaling_; }
  /// Requires the numbers of every feature.
  void set_scaling(FeatureScaling scaling);
  /// How the training data were read: the columns of a table with the replacements of missing
  /// values, and the column to be predicted. All empty for LIBSVM data and data in memory.
  const InputRecord& input() const { return input_; }
  const std::string& class_column() const { return class_column_; }
  /// Requires fill values for every feature or none; with a table, its features must be those of
  /// the model, and its columns must not include the one to be predicted.
  void set_input(InputRecord input, std::string class_column);
  /// How to read data for a model with these classes. If the model was trained on data in memory
  /// and its features have names, it reads tables with numbers in columns of these names.
  MultiLabelReadOptions ReadOptions(const std::vector<std::string>& class_names) const;

  /// Writes the entries of a model file for the features and for how data are read. SaveScaling
  /// writes the scaling.
  void SaveFeatures(ModelWriter* writer) const;
  void SaveReading(ModelWriter* writer) const;
  /// Reads all of these entries, and the scaling. Throws DataError when they contradict each other.
  static ModelInputs Load(const ModelEntries& entries);

 private:
  Index num_features_;
  std::vector<std::string> feature_names_;
  FeatureScaling scaling_;
  InputRecord input_;
  std::string class_column_;
};

}  // namespace slackline::internal
