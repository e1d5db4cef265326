// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions of a multi-label model for whole data sets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/inference/decode.h>

namespace slackline::internal {

struct PredictOptions {
  DecodeKind decode = DecodeKind::kAuto;
  Index threads = 1;    ///< 0 = all of the machine. Results do not depend on it
  bool labels = true;   ///< predict label sets
  bool scores = false;  ///< compute max-marginal differences
  /// count fractional LP solutions, solving the LP where decoding does not
  bool fractional = false;
};

struct MultiLabelPredictions {
  /// examples × labels by rows, 0 or 1; of each example as many as MultiLabelModel::label_counts
  /// allows.
  std::vector<std::int8_t> labels;
  /// examples × labels by rows: best value of a labelling with the label minus best value of one
  /// without it (of fractional solutions where the LP decodes), whatever the number of labels.
  /// Positive: the label belongs to the best labelling.
  std::vector<double> scores;
  /// What was done, in words, and how often the label sets are certified to be optimal.
  std::string decoder;
  /// Share of examples whose LP solution is fractional; none when not asked for, or when there is
  /// no LP solver.
  std::optional<double> fractional;
};

/// Predicts with `model` for data that were read for it (MultiLabelModel::ReadOptions). Throws
/// DataError when the way to decode does not apply to the model.
MultiLabelPredictions Predict(const MultiLabelModel& model, const MultiLabelData& data,
                              const PredictOptions& options);

}  // namespace slackline::internal
