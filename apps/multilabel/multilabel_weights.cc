// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/multilabel_weights.h>

#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

void AddLabels(const MultiLabelModel& model, const WeightSummaryOptions& options,
               WeightSummary* summary) {
  const Index shown = LabelsToShow(model.num_labels(), options, summary);
  const auto name = [&](Offset feature) { return FeatureName(model, feature); };
  const auto size = [&](Offset feature) { return TypicalSize(model.scaling(), feature); };
  // The weights of one feature are consecutive (core/weights.h), and the constant is the last
  // feature. Kernelized models have the constants first.
  const Offset stride = model.num_labels();
  for (Index label = 0; label < shown; ++label) {
    LabelWeights entry;
    entry.label = model.label_names()[label];
    const Offset columns = model.kernelized() ? 0 : model.num_features();
    if (model.has_constant())
      entry.constants.push_back({"constant", model.constant_weights()[label], kNone});
    entry.features =
        RankWeights({model.weights(), label, stride, columns}, options.top, name, size);
    summary->labels.push_back(std::move(entry));
  }
}

void AddPairs(const MultiLabelModel& model, const WeightSummaryOptions& options,
              WeightSummary* summary) {
  if (model.pairs().empty()) return;
  const PairVisitor visitor = [&](const std::function<void(Index, Index, double)>& visit) {
    for (std::size_t k = 0; k < model.pairs().size(); ++k)
      visit(model.pairs()[k].a, model.pairs()[k].b, model.pair_weights()[k]);
  };
  summary->pairs.push_back(
      RankPairs("pairs of labels", false, model.label_names(), visitor, options));
}

}  // namespace

std::string FeatureName(const MultiLabelModel& model, Offset feature) {
  return model.feature_names().empty() ? NumberedFeature(feature) : model.feature_names()[feature];
}

WeightSummary SummariseWeights(const MultiLabelModel& model, const WeightSummaryOptions& options) {
  WeightSummary summary;
  if (model.kernelized()) {
    summary.notes.push_back("The model compares examples by a kernel: its weights are those of " +
                            Count(model.support() ? model.support()->size() : 0, "support vector") +
                            ", and features have none.");
  } else {
    summary.notes.push_back(ScalingNote(model.scaling()));
  }
  AddLabels(model, options, &summary);
  AddPairs(model, options, &summary);
  return summary;
}

}  // namespace slackline::internal
