// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_weights.h>

#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

/// The size of letters in Kassel's data; the format itself only determines the number of pixels.
constexpr Index kLetterRows = 16;
constexpr Index kLetterColumns = 8;

void AddLabels(const SequenceModel& model, const WeightSummaryOptions& options,
               WeightSummary* summary) {
  const Index shown = LabelsToShow(model.num_labels(), options, summary);
  const auto name = [&](Offset feature) { return FeatureName(model, feature); };
  const auto size = [&](Offset feature) { return TypicalSize(model.scaling(), feature); };
  const Offset columns = model.support() ? 0 : model.num_features();
  for (Index label = 0; label < shown; ++label) {
    LabelWeights entry;
    entry.label = model.label_names()[label];
    entry.constants = {{"constant", model.constant_weights()[label], kNone},
                       {"start", model.start_weights()[label], kNone},
                       {"end", model.end_weights()[label], kNone}};
    entry.features = RankWeights({model.token_weights(), label, model.num_labels(), columns},
                                 options.top, name, size);
    summary->labels.push_back(std::move(entry));
  }
}

void AddTransitions(const SequenceModel& model, const WeightSummaryOptions& options,
                    WeightSummary* summary) {
  const Index k = model.num_labels();
  const PairVisitor visitor = [&](const std::function<void(Index, Index, double)>& visit) {
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) {
        const std::size_t pair = Offset{a} * k + b;
        if (model.rules() != nullptr && !model.rules()->transition[pair]) continue;
        visit(a, b, model.transition_weights()[pair]);
      }
    }
  };
  summary->pairs.push_back(RankPairs("transitions", true, model.label_names(), visitor, options));
}

}  // namespace

std::string FeatureName(const SequenceModel& model, Offset feature) {
  if (model.format() == SequenceFormat::kLetters) {
    if (model.num_features() != kLetterRows * kLetterColumns)
      return "pixel " + std::to_string(feature + 1);
    return "pixel at row " + std::to_string(feature / kLetterColumns + 1) + ", column " +
           std::to_string(feature % kLetterColumns + 1);
  }
  const FeatureDictionary& dictionary = model.features().dictionary;
  if (dictionary.hash_bits() > 0) return "hashed feature " + std::to_string(feature);
  return std::string(dictionary.name(static_cast<Index>(feature)));
}

WeightSummary SummariseWeights(const SequenceModel& model, const WeightSummaryOptions& options) {
  WeightSummary summary;
  if (model.support()) {
    summary.notes.push_back("The model compares tokens by a kernel: its weights are those of " +
                            Count(model.support()->size(), "support vector") +
                            ", and features have none.");
  } else {
    summary.notes.push_back(ScalingNote(model.scaling()));
  }
  if (model.rules() != nullptr)
    summary.notes.emplace_back("Transitions that the constraints exclude are left out.");
  AddLabels(model, options, &summary);
  AddTransitions(model, options, &summary);
  return summary;
}

}  // namespace slackline::internal
