// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions of a multi-label model for whole data sets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/ranks.h>
#include <slackline/inference/decode.h>

namespace slackline::internal {

struct PredictOptions {
  DecodeKind decode = DecodeKind::kAuto;
  Index threads = 1;    ///< 0 = all of the machine; results do not depend on it
  bool labels = true;   ///< predict label sets
  bool scores = false;  ///< compute max-marginal differences
  /// Count fractional LP solutions; solves the LP where decoding does not.
  bool fractional = false;
  /// The ranks that predict together, each for its own examples; null: this process alone.
  Ranks* ranks = nullptr;
};

struct MultiLabelPredictions {
  /// examples × labels by rows, 0 or 1. MultiLabelModel::label_counts bounds the number per
  /// example.
  std::vector<std::int8_t> labels;
  /// examples × labels by rows: the best value of a labelling with the label minus the best value
  /// without the label (of fractional solutions if the LP decodes), for any number of labels.
  /// Positive: the label belongs to the best labelling.
  std::vector<double> scores;
  /// The method of decoding in words, and how often the label sets are certified optimal, on all
  /// ranks.
  std::string decoder;
  /// Fraction of the examples of all ranks with a fractional LP solution; nullopt if not asked for,
  /// or without an LP solver.
  std::optional<double> fractional;
};

/// Predictions for data that were read for `model` (MultiLabelModel::ReadOptions). Throws DataError
/// when the decoding method does not apply to the model. With several ranks, all of them call this
/// function, and a DataError on one of them is thrown on all.
MultiLabelPredictions Predict(const MultiLabelModel& model, const MultiLabelData& data,
                              const PredictOptions& options);

}  // namespace slackline::internal
