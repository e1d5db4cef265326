// SPDX-License-Identifier: BSD-3-Clause
//
// Why a multi-label model chose its labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/common/score_parts.h>
#include <slackline/apps/multilabel/multilabel_model.h>

namespace slackline::internal {

struct LabelExplanation {
  std::string label;
  ScoreSum features;    ///< of a kernelized model only the total
  double constant = 0;  ///< 0 if the model has none
  /// Its pairs with other chosen labels, the strongest first: name of the other label, and weight.
  std::vector<std::pair<std::string, double>> pairs;
  double pair_total = 0;
  /// features + constant + pairs: by how much the score would drop without this label.
  double score = 0;
};

struct MultiLabelExplanation {
  std::vector<LabelExplanation> labels;  ///< the chosen ones, in the order of the model
  double feature_total = 0;              ///< sum over the chosen labels
  double constant_total = 0;
  double pair_total = 0;  ///< counts every pair once
  double total = 0;       ///< the model's score of the labelling: the sum of these three
};

/// Splits the score of one example of data that were read for the model. `chosen`: per label 1 if
/// it belongs to the labelling. Each sum lists `top` ≥ 1 features. Throws std::invalid_argument on
/// arguments that do not fit, and std::logic_error when the contributions do not add up to the
/// model's score tables.
MultiLabelExplanation ExplainLabels(const MultiLabelModel& model, const MultiLabelData& data,
                                    Index example, std::span<const std::int8_t> chosen, Index top);

}  // namespace slackline::internal
