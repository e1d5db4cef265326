// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/multilabel_reader.h>

#include <slackline/core/check.h>

namespace slackline::internal {

/// Replaces the data's rows by scaled ones.
void MultiLabelReader::Scale(MultiLabelData* data) const {
  if (!options_.scaling.active()) return;
  try {
    data->rows = options_.scaling.Apply(*data->rows, data->num_features);
  } catch (const ScaleError& error) {
    throw DataError(data->FileOf(error.row()), data->lines[error.row()], error.what());
  }
}

const MultiLabelData& MultiLabelReader::Examples() {
  SLACKLINE_CHECK(options_.for_prediction(), "training needs all examples");
  MultiLabelData& data = Collect();
  Scale(&data);
  return data;
}

MultiLabelData MultiLabelReader::Finish() {
  Agree();
  MultiLabelData data;
  OnAllRanks(ranks(), [&] {
    data = CollectAll();
    Scale(&data);
    data.notes = Notes();
  });
  return data;
}

}  // namespace slackline::internal
