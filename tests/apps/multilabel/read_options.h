// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>

namespace slackline::internal::test {

inline MultiLabelReadOptions LibsvmOptions(Index labels, bool constant = true) {
  MultiLabelReadOptions options;
  options.num_labels = labels;
  options.constant = constant;
  return options;
}

/// For tables with these columns of labels.
inline MultiLabelReadOptions LabelColumns(const std::string& labels,
                                          const std::string& ignored = "", bool constant = false) {
  MultiLabelReadOptions options;
  options.label_columns = labels;
  options.ignore_columns = ignored;
  options.constant = constant;
  return options;
}

/// The options with which a model of these training data reads.
inline MultiLabelReadOptions ForPrediction(const MultiLabelData& data) {
  MultiLabelReadOptions options;
  options.label_names = data.label_names;
  options.num_features = data.num_features;
  options.feature_names = data.feature_names;
  options.table = data.table;
  options.fill_values = data.fill_values;
  return options;
}

/// The shipped data set, and its folder.
inline const std::string kYeast = SLACKLINE_SOURCE_DIR "/data/yeast/";
inline MultiLabelData YeastData() {
  MultiLabelReadOptions options;
  options.labels_xml = kYeast + "yeast.xml";
  options.constant = true;
  return ReadMultiLabelData(kYeast + "yeast-train.arff.gz", options);
}

}  // namespace slackline::internal::test
