// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-validation of multi-label models, with label graphs as candidates; and out-of-fold scores
// of training examples.
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
  /// Each fold makes the graphs anew from its training examples.
  std::vector<LabelGraph> graphs = {"full"};
  MultiLabelLoss loss;
  /// With a kernel: whether labels have a constant weight. Otherwise the data determine this.
  bool kernel_constant = true;
  /// Bounds for predictions; nullopt: determined by the fold's training examples.
  std::optional<CountRange> label_counts;
};

/// The metrics of a trial are those of MultiLabelFigures(), in their order.
class MultiLabelCv : public CvApplication {
 public:
  /// The data must outlive this object. *scores (may be null) receives the max-marginal differences
  /// of the examples that each fold holds out, by the model of the fold's last training: examples ×
  /// labels by rows. It must have that size, and there must be only one candidate.
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
  std::vector<double>* scores_;  // folds write to different rows
};

/// The options of a training in one process that gives the same model as the ranks of `train`.
TrainOptions InOneProcess(const TrainOptions& train);

/// The max-marginal differences of all examples, examples × labels by rows. For every fold, a model
/// is trained on the other folds and scores this fold. `train` includes λ. The result does not
/// depend on the number of threads. nullopt if interrupted (`interrupt` may be null). Requires one
/// graph. Throws what CrossValidate throws. With several ranks (those of `train`), all have all
/// examples, share the trainings, and get all scores.
std::optional<std::vector<double>> OutOfFoldScores(const MultiLabelData& data,
                                                   const MultiLabelCvOptions& options,
                                                   const Folds& folds, const TrainOptions& train,
                                                   const std::atomic<int>* interrupt);

}  // namespace slackline::internal
