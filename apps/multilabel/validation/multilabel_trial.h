// SPDX-License-Identifier: BSD-3-Clause
//
// One fold of the cross-validation of multi-label models.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/common/path_trial.h>
#include <slackline/apps/multilabel/loss_weights.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

struct MultiLabelTrialOptions {
  /// Of the labels, as MakeLabelGraph reads it; made anew from the examples that are trained on.
  std::string graph = "full";
  MultiLabelLoss loss;
  /// With a kernel, whether labels have a constant weight; else the data say that.
  bool kernel_bias = true;
  /// Of predictions; none: by the examples that are trained on.
  std::optional<CountRange> label_counts;
  TrainOptions train;   ///< λ is not used
  bool scores = false;  ///< keep those of the examples held out
};

/// Figures: those of MetricRecords(), in their order.
class MultiLabelTrial : public PathTrial {
 public:
  /// Holds out fold number `number`. Throws DataError when a fold has nothing to train on or
  /// nothing to compare with.
  MultiLabelTrial(const MultiLabelData& data, const MultiLabelTrialOptions& options,
                  const std::vector<std::vector<Index>>& folds, std::size_t number);

  /// Max-marginal differences of the examples held out, in the order of the fold, × labels by rows,
  /// by the model of the last Run. Requires options.scores.
  const std::vector<double>& HeldOutScores() const { return held_out_scores_; }

 private:
  std::vector<double> Figures(std::span<const double> weights) override;

  MultiLabelData held_out_;
  bool keeps_scores_;
  std::vector<double> held_out_scores_;
  std::unique_ptr<MultiLabelModel> model_;
};

}  // namespace slackline::internal
