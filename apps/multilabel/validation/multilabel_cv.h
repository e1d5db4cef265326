// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label models under cross-validation, whose candidates are graphs of labels; and scores of
// training examples by models that have not seen them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/common/cross_validation.h>
#include <slackline/apps/multilabel/loss_weights.h>
#include <slackline/apps/multilabel/multilabel_model.h>

namespace slackline::internal {

struct MultiLabelCvOptions {
  /// Of the labels, as MakeLabelGraph reads them; made anew from the examples that are trained on.
  std::vector<std::string> graphs = {"full"};
  MultiLabelLoss loss;
  /// With a kernel, whether labels have a constant weight; else the data say that.
  bool kernel_bias = true;
  /// Of predictions; none: by the examples that are trained on.
  std::optional<CountRange> label_counts;
};

/// Figures of trials: those of MultiLabelFigures(), in their order.
class MultiLabelCv : public CvApplication {
 public:
  /// The data must live as long. *scores (may be null) becomes the max-marginal differences of the
  /// examples that each fold holds out, by the model of the fold's last training: examples × labels
  /// by rows. Requires one candidate, and as many entries as there are.
  MultiLabelCv(const MultiLabelData& data, MultiLabelCvOptions options,
               std::vector<double>* scores = nullptr);

  std::string source() const override { return data_.source; }
  Index num_examples() const override { return data_.num_examples(); }
  bool HasKnownLabel(Index example) const override;
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t candidate, const Fold& fold,
                                       const TrainOptions& options) const override;

 private:
  const MultiLabelData& data_;
  const MultiLabelCvOptions options_;
  std::vector<double>* scores_;  // folds write different rows
};

/// Max-marginal differences of all examples, examples × labels by rows: for every fold a model is
/// trained on the other folds, and scores the fold. `train`: with λ. The result does not depend on
/// the number of threads. None when interrupted (`interrupt` may be null). Requires one graph.
/// Throws what CrossValidate throws.
std::optional<std::vector<double>> OutOfFoldScores(const MultiLabelData& data,
                                                   const MultiLabelCvOptions& options,
                                                   const Folds& folds, const TrainOptions& train,
                                                   const std::atomic<int>* interrupt);

}  // namespace slackline::internal
