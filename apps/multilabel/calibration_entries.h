// SPDX-License-Identifier: BSD-3-Clause
//
// Calibration in model files: the entries "calibration_slope" and "calibration_intercept", a number
// per label each. Models without calibration have none of them.
#pragma once

#include <optional>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multilabel/calibration.h>

namespace slackline::internal {

void SaveCalibration(const std::optional<LabelCalibration>& calibration, ModelWriter* writer);

/// Throws DataError when the entries are no calibration of so many labels.
std::optional<LabelCalibration> LoadCalibration(const ModelEntries& entries, Index num_labels);

}  // namespace slackline::internal
