// SPDX-License-Identifier: BSD-3-Clause
//
// --calibrate of the commands that train multi-label models. Part of the program only.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/validation/multilabel_cv.h>

namespace CLI {
class App;
}  // namespace CLI

namespace slackline::internal::program {

/// The folds of `train`; `cv` has folds of its own.
inline constexpr Index kCalibrationFolds = 5;

/// `folds`: a text that says which folds are used.
void AddCalibrateFlag(CLI::App* app, bool* calibrate, const std::string& folds);

/// How to calibrate a model after its training.
struct CalibrationPlan {
  Folds folds;
  bool quiet = false;
  const std::atomic<int>* interrupt = nullptr;

  /// The exit code of a command that ended with `code`, or that of an interrupt if one ended the
  /// calibration early.
  int ExitCode(int code) const;
};
/// Throws DataError when the data cannot be divided into this many folds.
CalibrationPlan PlanCalibration(const MultiLabelData& data, Index folds, std::int64_t seed,
                                bool quiet);

/// Trains once more for every fold with the options `train`, sets the model's calibration, and
/// reports it on the standard error. Returns false if interrupted; the model then has no
/// calibration.
bool Calibrate(const MultiLabelData& data, const MultiLabelCvOptions& options,
               const TrainOptions& train, const CalibrationPlan& plan, MultiLabelModel* model);

/// Throws DataError unless the model in `file` is calibrated.
void RequireCalibration(const MultiLabelModel& model, const std::string& file);

}  // namespace slackline::internal::program
