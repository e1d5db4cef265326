// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/scaling_entries.h>

#include <algorithm>
#include <cmath>

namespace slackline::internal {

void SaveScaling(const FeatureScaling& scaling, ModelWriter* writer) {
  if (!scaling.active()) return;
  writer->Add("scaling", std::string(Name(scaling.kind())));
  writer->Add("scaling_shift", scaling.shift());
  writer->Add("scaling_divisor", scaling.divisor());
}

FeatureScaling LoadScaling(const ModelEntries& entries, Index num_features) {
  if (!entries.file().Has("scaling")) return {};
  const ScaleKind kind =
      entries.Choose("scaling", {ScaleKind::kStandard, ScaleKind::kMaxAbs, ScaleKind::kNorm});
  const auto shift = entries.file().Doubles("scaling_shift");
  const auto divisor = entries.file().Doubles("scaling_divisor");
  const std::size_t features = num_features;
  const auto finite = [](double number) { return std::isfinite(number); };
  const auto positive = [](double number) { return std::isfinite(number) && number > 0; };
  entries.Require(divisor.size() == (kind == ScaleKind::kNorm ? 0 : features), "scaling_divisor");
  entries.Require(std::all_of(divisor.begin(), divisor.end(), positive), "scaling_divisor");
  const bool centred = kind == ScaleKind::kStandard && shift.size() == features;
  entries.Require(shift.empty() || centred, "scaling_shift");
  entries.Require(std::all_of(shift.begin(), shift.end(), finite), "scaling_shift");
  return FeatureScaling::FromNumbers(kind, {shift.begin(), shift.end()},
                                     {divisor.begin(), divisor.end()});
}

}  // namespace slackline::internal
