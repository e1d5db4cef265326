// SPDX-License-Identifier: BSD-3-Clause
//
// Why a multi-label model chose the labels that it chose.
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
  ScoreSum features;    ///< of a kernelized model the total only
  double constant = 0;  ///< 0 without one
  /// Its pairs with other chosen labels, the strongest first: name of the other label, and weight.
  std::vector<std::pair<std::string, double>> pairs;
  double pair_total = 0;
  /// features + constant + pairs: by how much the score would be less without this label.
  double score = 0;
};

struct MultiLabelExplanation {
  std::vector<LabelExplanation> labels;  ///< the chosen ones, in the order of the model
  double feature_total = 0;              ///< sum over the chosen labels, as the next
  double constant_total = 0;
  double pair_total = 0;  ///< every pair once
  double total = 0;       ///< the model's score of the labelling: the sum of these three
};

/// Takes the score of one example of data that were read for the model apart. chosen: per label, 1
/// where it belongs to the labelling. Each sum of features lists `top` ≥ 1 of them. Throws
/// std::invalid_argument on arguments that do not fit, and std::logic_error when the parts do not
/// add up to the model's score tables.
MultiLabelExplanation ExplainLabels(const MultiLabelModel& model, const MultiLabelData& data,
                                    Index example, std::span<const std::int8_t> chosen, Index top);

}  // namespace slackline::internal
