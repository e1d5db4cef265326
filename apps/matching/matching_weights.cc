// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_weights.h>

namespace slackline::internal {

WeightSummary SummariseWeights(const MatchingModel& model, const WeightSummaryOptions& options) {
  const FeatureDictionary& dictionary = model.dictionary();
  const auto name = [&](Offset feature) {
    return dictionary.hash_bits() > 0 ? NumberedFeature(feature)
                                      : std::string(dictionary.name(static_cast<Index>(feature)));
  };
  const auto size = [&](Offset feature) { return TypicalSize(model.scaling(), feature); };
  // The weights are the block "edge", followed by the constant (matching_model.h).
  LabelWeights edge;
  edge.constants.push_back({"constant", model.weights().back(), kNone});
  edge.features = RankWeights({model.weights(), 0, 1, dictionary.size()}, options.top, name, size);
  WeightSummary summary;
  summary.notes.push_back(ScalingNote(model.scaling()));
  summary.labels.push_back(std::move(edge));
  return summary;
}

}  // namespace slackline::internal
