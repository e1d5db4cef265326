// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_weights.h>

#include <string>
#include <utility>

#include <slackline/core/number_text.h>

namespace slackline::internal {

WeightSummary SummariseWeights(const MulticlassModel& model, const WeightSummaryOptions& options) {
  WeightSummary summary;
  if (model.support()) {
    summary.notes.push_back("The model compares examples by a kernel: its weights are those of " +
                            Count(model.support()->size(), "support vector") +
                            ", and features have none.");
  } else {
    summary.notes.push_back(ScalingNote(model.scaling()));
  }
  const auto name = [&](Offset feature) {
    return model.feature_names().empty() ? NumberedFeature(feature)
                                         : model.feature_names()[feature];
  };
  const auto size = [&](Offset feature) { return TypicalSize(model.scaling(), feature); };
  const Offset columns = model.support() ? 0 : model.num_features();
  const Index shown = LabelsToShow(model.num_classes(), options, &summary);
  for (Index y = 0; y < shown; ++y) {
    LabelWeights entry;
    entry.label = model.class_names()[y];
    if (model.has_constant())
      entry.constants.push_back({"constant", model.constant_weights()[y], kNone});
    entry.features = RankWeights({model.class_weights(), y, model.num_classes(), columns},
                                 options.top, name, size);
    summary.labels.push_back(std::move(entry));
  }
  return summary;
}

}  // namespace slackline::internal
