// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/linear/linear_weights.h>

#include <algorithm>
#include <string>
#include <utility>

#include <slackline/core/number_text.h>

namespace slackline::internal {

WeightSummary SummariseWeights(const LinearModel& model, const WeightSummaryOptions& options) {
  const ModelInputs& inputs = model.inputs();
  WeightSummary summary;
  summary.notes.push_back(ScalingNote(inputs.scaling()));
  const std::span<const double> weights =
      std::span<const double>(model.weights()).first(Size(inputs.num_features()));
  const auto zeros = std::count(weights.begin(), weights.end(), 0.0);
  if (zeros > 0)
    summary.notes.push_back(Count(static_cast<Offset>(zeros), "weight") + " of " +
                            std::to_string(weights.size()) + " are 0.");
  LabelWeights entry;
  entry.label = model.predicts_numbers() ? inputs.class_column() : model.class_names()[1];
  if (model.has_constant())
    entry.constants.push_back({"constant", model.weights().back() + model.offset(), kNone});
  const auto name = [&](Offset feature) {
    return inputs.feature_names().empty() ? NumberedFeature(feature)
                                          : inputs.feature_names()[Size(feature)];
  };
  const auto size = [&](Offset feature) { return TypicalSize(inputs.scaling(), feature); };
  entry.features =
      RankWeights({weights, 0, 1, static_cast<Offset>(weights.size())}, options.top, name, size);
  summary.labels.push_back(std::move(entry));
  return summary;
}

}  // namespace slackline::internal
