// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a multi-label model on examples that come one after the other, from a stream of
// any length, and are forgotten (learning/example_blocks/multi_sample_learner.h). Memory: a few
// vectors of the size of the weights, and the examples of one call of Learn.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/loss.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/run/fingerprint.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

struct OnlineTrainingOptions {
  TrainOptions train;  ///< with the learner multi-sample, without --revisit, and λ > 0
  LossOptions loss;
  std::string loss_name;  ///< "mean", "count" or "f1"
  std::string data;       ///< name of the training data, for the record
  /// For the record: the options besides those of `train`; names without dashes.
  std::vector<std::pair<std::string, std::string>> texts;
  bool single_precision = false;  ///< of the weights in the model file
};

class OnlineTraining {
 public:
  /// Begins at zero weights with the labels, features, scaling and graph of the model. The model's
  /// weights, calibration and record do not count. Throws DataError when the model is kernelized.
  OnlineTraining(MultiLabelModel model, OnlineTrainingOptions options);

  /// Learns from the examples of data that were read with MultiLabelModel::ReadOptions, in their
  /// order. How a stream is divided into calls makes no difference. Unknown labels are left out,
  /// and so are examples without any known label. Throws DataError when the options do not suit the
  /// model; then it learns nothing.
  void Learn(const MultiLabelData& data);

  /// Figures of the examples so far.
  OnlineFigures figures() const;
  /// Examples without a known label.
  std::int64_t skipped() const { return skipped_; }
  const MultiLabelModel& model() const { return model_; }
  const OnlineTrainingOptions& options() const { return options_; }
  /// Writes the model with the newest weights or their average. seconds: for the record.
  void Save(const std::string& path, double seconds);

  /// What must match in a run that continues this one.
  Fingerprint Identity() const;
  /// The state of the run without the examples.
  void Archive(StateArchive* archive);

 private:
  MultiLabelModel model_;
  OnlineTrainingOptions options_;
  OnlineRun run_;
  std::int64_t skipped_ = 0;
};

}  // namespace slackline::internal
