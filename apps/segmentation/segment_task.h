// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a segmentation model on prepared or converted images.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/converted/converted_values.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Prepared images, and the feature rows of their superpixels.
struct SegmentData {
  std::string source;
  std::vector<std::string> names;
  std::vector<SegmentExample> examples;
  std::shared_ptr<const FeatureRows> rows;
  /// Set for converted images, whose rows are scaled already; else null.
  std::shared_ptr<const ConvertedValues> converted;
};

/// A model with all weights zero, and its training images.
struct SegmentTask {
  SegmentModel model;
  SegmentData data;
  ScaledInputs scaled;     ///< its rows replace those of the data
  Ranks* ranks = nullptr;  ///< as given to MakeSegmentTask
};
/// Scales the features of the images, unless the model reads potentials or the images are
/// converted. Throws DataError. ranks: the processes that train together, each with its own images
/// (ExactRanks of the training options); all must call it. null: this process alone.
SegmentTask MakeSegmentTask(SegmentModel model, SegmentData data, std::optional<ScaleKind> scale,
                            Ranks* ranks = nullptr);

/// The training of a task's model on all its images.
class SegmentTraining final : public ProblemTask {
 public:
  /// The task must outlive this object. `texts` without the name of the data. Throws DataError when
  /// no image has labels, with several ranks when any image has none.
  SegmentTraining(SegmentTask* task, SegmentLoss loss, RecordTexts texts);

  const SegmentTask& task() const { return task_; }
  const Problem& problem() const override { return problem_; }
  double DefaultLambda(const TrainOptions& options) const override {
    return DefaultSegmentLambda(task_.model, task_.data.examples, Scales(options), task_.ranks);
  }
  std::string_view VariableNoun() const override { return "superpixel"; }
  std::vector<std::string> DataLines() const override;
  std::string ModelText() const override;
  TaskEntries StartEntries() const override;
  std::vector<std::string> Warnings() const override { return task_.scaled.warnings; }
  Fingerprint Context() const override;
  TrainingRecord* record() override { return &task_.model.record; }
  void SetWeights(const TrainOptions& options, const std::vector<double>& weights) override;
  void Save(const std::string& path) const override { task_.model.Save(path); }

 private:
  SegmentTask& task_;
  Problem problem_;
};

}  // namespace slackline::internal
