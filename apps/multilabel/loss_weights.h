// SPDX-License-Identifier: BSD-3-Clause
//
// The loss that multi-label models are trained with, and what errors on labels cost in it.
//
// Rare labels count as much as common ones in macro F1, but hardly in the Hamming loss: a model
// that never predicts them loses little. Weights by frequency let a missed label cost the more the
// rarer it is, and false alarms 1:
//
//   missed_i = (f_max / f_i)^P,  f_i: share of the training examples that have label i
//
// (A weight for both errors of a label would not do it: with margin rescaling, larger losses ask
// for larger margins, and scores grow with them.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/loss.h>

namespace slackline::internal {

class LossWeights {
 public:
  /// Every error counts the same.
  LossWeights() = default;

  /// "equal"; "inverse-frequency", with P = kDefaultPower, or "inverse-frequency:P", 0 < P ≤ 1;
  /// otherwise a file: a label a line (label_lines.h), the cost of missing it, and, 1 unless it is
  /// given, that of a false alarm, both from 0 to kLargestWeight. Labels that the file does not
  /// name cost 1. Throws DataError on other powers, and when there is no such file.
  static LossWeights Parse(const std::string& text);

  bool equal() const { return power_ == 0 && file_.empty(); }

  /// LossOptions::given_weights for the labels of `training`: for each label what a false alarm
  /// costs, and what missing it costs; empty where all are 1. Of labels that no example has,
  /// missing costs 1. Throws DataError on bad files.
  std::vector<double> For(const MultiLabelData& training) const;

  static constexpr double kDefaultPower = 0.25;
  static constexpr double kLargestWeight = 1e6;

 private:
  double power_ = 0;  // 0: not by frequency
  std::string file_;
};

struct MultiLabelLoss {
  LossScale scale = LossScale::kMean;
  LossForm form = LossForm::kSum;
  LossWeights weights;

  /// "count", "f1", or "mean" for any other name; equal weights.
  static MultiLabelLoss Named(std::string_view name) {
    return {name == "count" ? LossScale::kCount : LossScale::kMean,
            name == "f1" ? LossForm::kF1 : LossForm::kSum,
            {}};
  }

  LossOptions For(const MultiLabelData& training) const {
    return {scale, {}, weights.For(training), {}, form};
  }
};

}  // namespace slackline::internal
