// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/calibration_entries.h>

#include <cmath>

namespace slackline::internal {

void SaveCalibration(const std::optional<LabelCalibration>& calibration, ModelWriter* writer) {
  if (!calibration) return;
  std::vector<double> slopes;
  std::vector<double> intercepts;
  for (const Sigmoid& sigmoid : *calibration) {
    slopes.push_back(sigmoid.slope);
    intercepts.push_back(sigmoid.intercept);
  }
  writer->Add("calibration_slope", slopes);
  writer->Add("calibration_intercept", intercepts);
}

std::optional<LabelCalibration> LoadCalibration(const ModelEntries& entries, Index num_labels) {
  if (!entries.file().Has("calibration_slope")) return std::nullopt;
  const std::size_t labels = num_labels;
  const auto slopes = entries.Doubles("calibration_slope", labels);
  const auto intercepts = entries.Doubles("calibration_intercept", labels);
  LabelCalibration calibration;
  for (std::size_t i = 0; i < labels; ++i) {
    entries.Require(std::isfinite(slopes[i]) && slopes[i] >= 0, "calibration_slope");
    entries.Require(std::isfinite(intercepts[i]), "calibration_intercept");
    calibration.push_back({slopes[i], intercepts[i]});
  }
  return calibration;
}

}  // namespace slackline::internal
