// SPDX-License-Identifier: BSD-3-Clause
//
// Data of multi-label problems: ARFF, LIBSVM, and Mulan's XML of label names.
#include <slackline/core/multilabel_data.h>

#include "tests/fuzz/target.h"

namespace slackline::fuzz {
namespace {

constexpr std::string_view kLabels =
    "<labels><label name=\"a\"/><label name=\"b c\"><label name=\"d\"/></label></labels>";

/// As in training and as in prediction.
void ReadArffText(std::string_view text) {
  const std::string path = PathOf(text);
  MultiLabelReadOptions options;
  options.labels_xml = PathOf(kLabels, 1);
  options.append_constant = true;
  const MultiLabelData data = ReadMultiLabelData(path, options);
  MultiLabelReadOptions again;
  again.label_names = data.label_names;
  again.num_features = data.num_features;
  again.feature_names = data.feature_names;
  ReadMultiLabelData(path, again);
}

void ReadLibsvmText(std::string_view text) {
  const std::string path = PathOf(text);
  MultiLabelReadOptions options;
  options.num_labels = 3;
  options.bytes_per_weight = 8;
  options.bytes_per_label_entry = 8;
  const MultiLabelData data = ReadMultiLabelData(path, options);
  MultiLabelReadOptions again;
  again.label_names = data.label_names;
  again.num_features = 5;
  ReadMultiLabelData(path, again);
}

void ReadLabelNames(std::string_view text) {
  std::vector<long> lines;
  ReadMulanLabelNames(PathOf(text), &lines);
}

const FuzzTarget kArff({"arff", ReadArffText});
const FuzzTarget kLibsvm({"libsvm", ReadLibsvmText});
const FuzzTarget kXml({"labels_xml", ReadLabelNames});

}  // namespace
}  // namespace slackline::fuzz
