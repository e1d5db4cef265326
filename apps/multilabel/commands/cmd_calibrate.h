// SPDX-License-Identifier: BSD-3-Clause
//
// --calibrate of the commands that train multi-label models. Part of the program only.
#pragma once

#include <atomic>
#include <string>

#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/training/multilabel_training.h>

namespace slackline::internal::program {

/// how: a text that says by which trainings.
void AddCalibrateFlag(Command* app, bool* calibrate, const std::string& how);

/// How to calibrate a model after its training.
struct CalibrationPlan {
  Folds folds;
  bool quiet = false;
  const std::atomic<int>* interrupt = nullptr;

  /// The exit code: that of an interrupt if one ended the calibration early, else `code`, with
  /// which the command ended.
  int ExitCode(int code) const;
};
struct CalibrationRequest {
  Index folds = 0;
  std::int64_t seed = 0;
  bool quiet = false;
};
/// ranks: the ranks that train together, each with its own examples. Throws DataError when the data
/// cannot be divided into this many folds.
CalibrationPlan PlanCalibration(const MultiLabelData& data, const CalibrationRequest& request,
                                Ranks& ranks);

/// Calibrates the model of the last training and reports it on the standard error. Returns false if
/// interrupted; the model then has no calibration.
bool Calibrate(const CalibrationPlan& plan, MultiLabelTraining* training);

/// Throws DataError unless the model in `file` is calibrated.
void RequireCalibration(const MultiLabelModel& model, const std::string& file);

}  // namespace slackline::internal::program
