// SPDX-License-Identifier: BSD-3-Clause
//
// Examples of two classes, or with a number each, from files (multilabel_data.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/table_entries.h>
#include <slackline/core/feature_rows.h>

namespace slackline::internal {

/// Examples to train on, all with a known label.
struct LinearData {
  std::string source;                    ///< where they come from, for messages
  std::vector<std::string> class_names;  ///< of labels −1 and 1; empty: labels are numbers
  std::vector<std::string> feature_names;
  Index num_features = 0;
  /// Inputs; with a constant, feature num_features is 1 in all of them.
  std::shared_ptr<const FeatureRows> rows;
  std::vector<double> labels;
  Index num_unknown = 0;  ///< examples without a known label, which were left out
  InputRecord input;
  std::string class_column;  ///< of a table
  std::vector<std::string> notes;

  Index num_examples() const { return static_cast<Index>(labels.size()); }
};

/// The data with these examples only.
LinearData SelectExamples(const LinearData& data, std::span<const Index> examples);

/// Reads training data: LIBSVM text or a table. Of two classes, the second in the order of
/// class_column.h has label 1. numbers: whether labels are numbers. Sets the members of the options
/// that ask for classes and check the memory. Throws DataError as ReadMultiLabelData does, when no
/// label is known, and when there are not two classes.
LinearData ReadLinearData(const std::string& path, MultiLabelReadOptions options, bool numbers);

/// The labels of data that were read for a model with these classes, or with none: −1 and 1, or
/// numbers. NaN: not known, or of a class that the model does not know.
std::vector<double> LinearLabels(const MultiLabelData& data, bool numbers);

}  // namespace slackline::internal
