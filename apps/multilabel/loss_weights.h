// SPDX-License-Identifier: BSD-3-Clause
//
// The training loss of multi-label models and the costs of errors on labels in it.
//
// Rare labels count as much as common ones in macro F1, but hardly in the Hamming loss: a model
// that never predicts rare labels loses little. With weights by frequency a false alarm costs 1,
// and missing a label costs more the rarer the label is:
//
//   missed_i = (f_max / f_i)^P,  f_i: fraction of the training examples that have label i
//
// (One weight for both errors of a label would not help: with margin rescaling, larger losses
// demand larger margins, and scores grow with them.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/loss.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

class LossWeights {
 public:
  /// All errors cost the same.
  LossWeights() = default;

  /// "equal"; "inverse-frequency", with P = kDefaultPower, or "inverse-frequency:P", 0 < P ≤ 1;
  /// otherwise the path of a file. Each line of the file has a label (label_lines.h), the cost of
  /// missing it, and optionally the cost of a false alarm (default 1), both from 0 to
  /// kLargestWeight. Other labels cost 1. Throws DataError on other powers, and when the file does
  /// not exist.
  static LossWeights Parse(const std::string& text);

  /// costs: for each label the cost of a false alarm, then the cost of missing it. Throws DataError
  /// on costs outside 0 … kLargestWeight.
  static LossWeights Given(std::vector<double> costs);

  bool equal() const { return power_ == 0 && file_.empty() && given_.empty(); }

  /// LossOptions::given_weights for the labels of `training`: for each label the cost of a false
  /// alarm, then the cost of missing it; empty if all are 1. Missing a label that no example has
  /// costs 1. Throws DataError on bad files, and when given costs do not fit the labels. With
  /// several ranks, all must call it, each with its own examples; they get the weights for all
  /// examples, or the same DataError.
  std::vector<double> For(const MultiLabelData& training, Ranks& ranks = OneRank()) const;

  static constexpr double kDefaultPower = 0.25;
  static constexpr double kLargestWeight = 1e6;

 private:
  double power_ = 0;  // 0: not by frequency
  std::string file_;
  std::vector<double> given_;
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

  LossOptions For(const MultiLabelData& training, Ranks& ranks = OneRank()) const {
    return {scale, {}, weights.For(training, ranks), {}, form};
  }
};

}  // namespace slackline::internal
