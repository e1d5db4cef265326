// SPDX-License-Identifier: BSD-3-Clause
//
// Examples with one class each, from memory or from files (multilabel_data.h).
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/table_entries.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Examples to train on.
struct MulticlassData {
  std::string source;  ///< where they come from, for messages
  std::vector<std::string> class_names;
  std::vector<std::string> feature_names;  ///< empty: features only have numbers
  Index num_features = 0;
  /// Inputs; with a constant, and without a kernel, feature num_features is 1 in all of them.
  std::shared_ptr<const FeatureRows> rows;
  std::vector<Index> labels;  ///< per row its class, or kUnlabelled: not known
  std::vector<double>
      weights;                ///< a, > 0; empty: all 1. Not with a kernel, nor with unknown classes
  std::vector<double> costs;  ///< of [true, predicted] classes by rows; empty: 1 for every error
  bool kernelized = false;    ///< whether a model with a kernel is trained
  InputRecord input;          ///< how files were read; empty for data in memory
  std::string class_column;   ///< of a table
  std::vector<std::string> notes;  ///< of the reader

  Index num_examples() const { return static_cast<Index>(labels.size()); }
  /// The number of examples with a known class.
  Index num_known() const {
    return num_examples() -
           static_cast<Index>(std::count(labels.begin(), labels.end(), kUnlabelled));
  }
};

/// Reads training data: LIBSVM text or a table. Sets the options that ask for classes and check the
/// memory. Throws DataError as ReadMultiLabelData does, and when the data have fewer than two
/// classes.
MulticlassData ReadMulticlassData(const std::string& path, MultiLabelReadOptions options);

}  // namespace slackline::internal
