// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_multilabel_explain.h>

#include <algorithm>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_weight_text.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/prediction/multilabel_explain.h>

namespace slackline::internal::program {
namespace {

/// The largest number of pairs that a line names.
constexpr std::size_t kMostPairs = 5;

std::string PairLine(const LabelExplanation& label) {
  std::string line;
  for (std::size_t k = 0; k < std::min(kMostPairs, label.pairs.size()); ++k)
    line += (k > 0 ? ", " : "") + label.pairs[k].first + " " + Number(label.pairs[k].second, 4);
  if (label.pairs.size() > kMostPairs)
    line += ", and " + std::to_string(label.pairs.size() - kMostPairs) + " more";
  line = "  pairs with " + line;
  return Fitted(line, std::min<std::size_t>(100, Length(line))) + "\n";
}

std::string Text(const MultiLabelExplanation& explanation, Index number) {
  std::string text = "example " + std::to_string(number) + ": score " +
                     SumText(explanation.total, {{"features", explanation.feature_total},
                                                 {"constants", explanation.constant_total},
                                                 {"pairs", explanation.pair_total}}) +
                     "\n";
  if (explanation.labels.empty()) text += "  no label was chosen: without labels the score is 0\n";
  const auto unwanted = [](const LabelExplanation& label) { return label.score < 0; };
  if (std::any_of(explanation.labels.begin(), explanation.labels.end(), unwanted))
    text += "  labels with a negative score were chosen because of the bounds on their number\n";
  for (const LabelExplanation& label : explanation.labels) {
    text += "\n" + Fitted(label.label, std::min<std::size_t>(26, Length(label.label))) + "  " +
            SumText(label.score, {{"features", label.features.total},
                                  {"constant", label.constant},
                                  {"pairs", label.pair_total}}) +
            "\n";
    AppendParts(label.features, &text);
    if (!label.pairs.empty()) text += PairLine(label);
  }
  return text;
}

Json ToJson(const MultiLabelExplanation& explanation, Index number) {
  Json labels = Json::array();
  for (const LabelExplanation& label : explanation.labels) {
    Json pairs = Json::array();
    for (const auto& [other, weight] : label.pairs)
      pairs.push_back({{"label", other}, {"weight", weight}});
    labels.push_back({{"label", label.label},
                      {"score", label.score},
                      {"features", PartsJson(label.features)},
                      {"constant", label.constant},
                      {"pairs", std::move(pairs)}});
  }
  return {{"example", number},
          {"score", explanation.total},
          {"features", explanation.feature_total},
          {"constants", explanation.constant_total},
          {"pairs", explanation.pair_total},
          {"labels", std::move(labels)}};
}

}  // namespace

int ExplainMultiLabel(const MultiLabelExplainTask& task) {
  const Index top = task.flags.ReadTop();
  task.flags.ReadNumbers(-1, task.data);
  const MultiLabelModel model = task.reading.Load(task.model);
  const MultiLabelData data = task.reading.Read(task.data, model);
  const std::vector<Index> numbers = task.flags.ReadNumbers(data.num_examples(), task.data);
  const MultiLabelData wanted = SelectExamples(data, numbers);
  const MultiLabelPredictions predictions = Predict(model, wanted, task.predict);
  const std::size_t labels = model.num_labels();
  Json examples = Json::array();
  std::string text;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::span<const std::int8_t> chosen =
        std::span<const std::int8_t>(predictions.labels).subspan(k * labels, labels);
    const MultiLabelExplanation explanation =
        ExplainLabels(model, wanted, static_cast<Index>(k), chosen, top);
    const Index number = numbers[k] + 1;
    if (task.flags.json) {
      examples.push_back(ToJson(explanation, number));
    } else {
      text += (text.empty() ? "" : "\n") + Text(explanation, number);
    }
  }
  WriteOutput(task.out, task.flags.json ? JsonText({{"examples", std::move(examples)}}) : text);
  return 0;
}

}  // namespace slackline::internal::program
