// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_data.h>

#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

/// Lower bounds on the memory of training. Per weight: one number in the learner's point, in the
/// newest and in the best evaluation, and in the model, and two copies while the model is saved.
/// Per example and class: the table of losses.
constexpr double kBytesPerClassWeight = 48;
constexpr double kBytesPerLoss = 8;

}  // namespace

MulticlassData ReadMulticlassData(const std::string& path, MultiLabelReadOptions options) {
  options.classes = true;
  options.bytes_per_weight = kBytesPerClassWeight;
  options.bytes_per_label_entry = kBytesPerLoss;
  MultiLabelData read = ReadMultiLabelData(path, options);
  if (read.label_names.empty()) throw DataError(read.source, 0, "no example has a known class");
  if (read.label_names.size() == 1) {
    throw DataError(read.source, 0,
                    "all examples are of class " + Quoted(read.label_names[0]) +
                        ": there is nothing to tell apart");
  }
  MulticlassData data;
  data.source = std::move(read.source);
  data.class_names = std::move(read.label_names);
  data.feature_names = std::move(read.feature_names);
  data.num_features = read.num_features;
  data.rows = std::move(read.rows);
  data.labels = std::move(read.classes);
  data.input = {std::move(read.fill_values), std::move(read.table)};
  data.class_column = std::move(read.class_column);
  data.notes = std::move(read.notes);
  return data;
}

}  // namespace slackline::internal
