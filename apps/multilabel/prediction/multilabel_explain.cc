// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/multilabel_explain.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/apps/multilabel/multilabel_weights.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// The contributions of features and constant. kernel_scores: of all labels, if the model is
/// kernelized.
LabelExplanation ExplainLabel(const MultiLabelModel& model, const FeatureRow& x,
                              std::span<const double> kernel_scores, Index label, Index top) {
  LabelExplanation entry;
  entry.label = model.label_names()[label];
  if (model.kernelized()) {
    entry.features.total = kernel_scores[label];
  } else {
    const auto name = [&](Offset feature) { return FeatureName(model, feature); };
    entry.features = TakeApart({model.weights(), model.num_labels(), label, model.num_features()},
                               x, model.scaling(), top, name);
  }
  if (model.has_constant()) entry.constant = model.constant_weights()[label];
  return entry;
}

void AddPairs(const MultiLabelModel& model, std::span<const std::int8_t> chosen,
              std::vector<LabelExplanation*> of_label, MultiLabelExplanation* explanation) {
  for (std::size_t k = 0; k < model.pairs().size(); ++k) {
    const LabelPair& pair = model.pairs()[k];
    if (chosen[pair.a] != 1 || chosen[pair.b] != 1) continue;
    const double weight = model.pair_weights()[k];
    explanation->pair_total += weight;
    const auto add = [&](Index label, Index other) {
      of_label[label]->pairs.emplace_back(model.label_names()[other], weight);
      of_label[label]->pair_total += weight;
    };
    add(pair.a, pair.b);
    add(pair.b, pair.a);
  }
  for (LabelExplanation& label : explanation->labels) {
    std::stable_sort(label.pairs.begin(), label.pairs.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) > std::abs(b.second);
    });
  }
}

/// Throws std::logic_error when the explanation does not add up to the model's score.
void CheckTotal(const MultiLabelModel& model, const MultiLabelData& data, Index example,
                std::span<const std::int8_t> chosen, const MultiLabelExplanation& explanation) {
  const std::vector<Index> labels(chosen.begin(), chosen.end());
  const FactorGraph& graph = model.structure()->graph();
  std::vector<double> tables(graph.total_states());
  model.Scores(ExampleView(*model.structure(), data.rows.get(), example, {}, labels), tables);
  double score = 0;
  double magnitude = 0;
  const auto add = [&](Index part, Offset state) {
    const double value = tables[graph.state_offset(part) + state];
    score += value;
    magnitude += std::abs(value);
  };
  for (Index label = 0; label < model.num_labels(); ++label) add(label, chosen[label]);
  for (std::size_t k = 0; k < model.pairs().size(); ++k) {
    const LabelPair& pair = model.pairs()[k];
    add(model.num_labels() + static_cast<Index>(k), 2 * Offset{chosen[pair.a]} + chosen[pair.b]);
  }
  for (const LabelExplanation& label : explanation.labels)
    magnitude += label.features.magnitude + std::abs(label.constant);
  CheckSums(explanation.total, score, magnitude);
}

}  // namespace

MultiLabelExplanation ExplainLabels(const MultiLabelModel& model, const MultiLabelData& data,
                                    Index example, std::span<const std::int8_t> chosen, Index top) {
  SLACKLINE_CHECK(example >= 0 && example < data.num_examples(), "there is no such example");
  SLACKLINE_CHECK(chosen.size() == model.label_names().size() &&
                      std::all_of(chosen.begin(), chosen.end(),
                                  [](std::int8_t on) { return on == 0 || on == 1; }),
                  "the labelling does not fit the model");
  const FeatureRow x = data.rows->row(example);
  std::vector<double> kernel_scores(chosen.size(), 0.0);
  if (model.support()) model.support()->Scores(x, kernel_scores);
  MultiLabelExplanation explanation;
  std::vector<Index> labels;
  for (Index label = 0; label < model.num_labels(); ++label) {
    if (chosen[label] != 1) continue;
    labels.push_back(label);
    explanation.labels.push_back(ExplainLabel(model, x, kernel_scores, label, top));
  }
  std::vector<LabelExplanation*> of_label(chosen.size(), nullptr);
  for (std::size_t k = 0; k < labels.size(); ++k) of_label[labels[k]] = &explanation.labels[k];
  AddPairs(model, chosen, std::move(of_label), &explanation);
  for (LabelExplanation& label : explanation.labels) {
    label.score = label.features.total + label.constant + label.pair_total;
    explanation.feature_total += label.features.total;
    explanation.constant_total += label.constant;
  }
  explanation.total =
      explanation.feature_total + explanation.constant_total + explanation.pair_total;
  CheckTotal(model, data, example, chosen, explanation);
  return explanation;
}

}  // namespace slackline::internal
