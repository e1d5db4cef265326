// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands of segmentation share. Part of the program only, if it is built with images.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/folds.h>
#include <slackline/apps/segmentation/images/prepared_images.h>
#include <slackline/apps/segmentation/segment_choices.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/segmentation/segment_task.h>

namespace slackline::internal::program {

/// The options of training data and model.
struct SegmentFlags : SegmentChoices {
  std::string features;
  ScaleFlag scale;

  void Register(Command* app);
  /// Registers the options that choose superpixels and features.
  static void RegisterLayers(Command* app, SegmentChoices* choices);
  static void RegisterRegions(Command* app, SegmentChoices* choices);
  /// Checks the values that need no data. Throws DataError.
  void Check() const;
  /// The input files.
  std::vector<std::string> inputs() const;
};

/// A model for the file with all weights zero, and the file's training images. Throws DataError.
SegmentTask LoadSegmentTask(const SegmentFlags& flags, const TrainOptions& train = {});

/// The training problem on all images outside a fold, with an arbitrary λ. Throws DataError when
/// these images have no labels.
Problem MakeFoldProblem(const SegmentTask& task, SegmentLoss loss, const Fold& fold);

/// The training of a task's model on all its images; the task must outlive it. `loss` is used in
/// training; flags.loss is only for messages and records. Throws DataError when no image has
/// labels.
std::unique_ptr<SegmentTraining> MakeSegmentTrainTask(const SegmentFlags& flags, SegmentLoss loss,
                                                      SegmentTask* task);

/// Throws DataError when an output (given with `--option`) is one of the inputs or occurs twice.
void CheckResults(std::string_view option, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& inputs);

/// Creates the folder of `--option` and its parents if they do not exist. Throws DataError.
void MakeFolder(std::string_view option, const std::string& path);

}  // namespace slackline::internal::program
