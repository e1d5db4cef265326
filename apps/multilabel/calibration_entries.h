// SPDX-License-Identifier: BSD-3-Clause
//
// Calibration in model files: the entries "calibration_slope" and "calibration_intercept" have one
// number per label each. Models without calibration have neither entry.
#pragma once

#include <optional>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multilabel/calibration.h>

namespace slackline::internal {

void SaveCalibration(const std::optional<LabelCalibration>& calibration, ModelWriter* writer);

/// Throws DataError when the entries are not a calibration of num_labels labels.
std::optional<LabelCalibration> LoadCalibration(const ModelEntries& entries, Index num_labels);

}  // namespace slackline::internal
