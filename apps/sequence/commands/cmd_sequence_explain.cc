// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/commands/cmd_sequence_explain.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_weight_text.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>
#include <slackline/apps/sequence/sequence_explain.h>
#include <slackline/apps/sequence/sequence_predict.h>

namespace slackline::internal::program {
namespace {

/// The columns of a token without its label.
std::string InputText(const SequenceData& data, Offset token) {
  std::string text;
  AppendInput(data, token, &text);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

std::string Text(const SequenceExplanation& explanation, const SequenceData& data, Offset token,
                 Index number) {
  std::string text =
      "sequence " + std::to_string(number) + ": score " + Number(explanation.total, 6) + "\n";
  Index place = 0;
  for (const TokenExplanation& part : explanation.tokens) {
    const std::string input = InputText(data, token++);
    const std::string label = Fitted(part.label, std::min<std::size_t>(30, Length(part.label)));
    const std::size_t width = std::min<std::size_t>(50, std::max<std::size_t>(1, Length(input)));
    text += "\n" + std::to_string(++place) + "  " + Fitted(input, width) + "  " + label + "\n  " +
            SumText(part.score, {{"observations", part.observations.total},
                                 {"constant", part.constant},
                                 {"start", part.start},
                                 {"transition", part.transition},
                                 {"end", part.end}}) +
            "\n";
    AppendParts(part.observations, &text);
  }
  return text;
}

Json ToJson(const SequenceExplanation& explanation, const SequenceData& data, Offset token,
            Index number) {
  Json tokens = Json::array();
  for (const TokenExplanation& part : explanation.tokens) {
    tokens.push_back({{"input", InputText(data, token++)},
                      {"label", part.label},
                      {"score", part.score},
                      {"observations", PartsJson(part.observations)},
                      {"constant", part.constant},
                      {"start", part.start},
                      {"transition", part.transition},
                      {"end", part.end}});
  }
  return {{"sequence", number}, {"score", explanation.total}, {"tokens", std::move(tokens)}};
}

}  // namespace

int ExplainSequences(const SequenceExplainTask& task) {
  const Index top = task.flags.ReadTop();
  task.flags.ReadNumbers(-1, task.data.data);
  const SequenceModel model = SequenceModel::Load(task.model);
  const SequenceInput input = LoadSequences(model, task.data, task.quiet);
  const auto count = static_cast<Index>(input.sequences.size());
  std::vector<Index> wanted;
  const std::vector<Index> numbers = task.flags.ReadNumbers(count, task.data.data);
  for (const Index number : numbers) wanted.push_back(input.sequences[number]);
  SequencePredictOptions options;
  options.threads = task.threads;
  const SequencePredictions predictions = PredictSequences(model, input.data, wanted, options);
  Json sequences = Json::array();
  std::string text;
  std::size_t token = 0;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    const Index m = wanted[j];
    const std::size_t length = input.data.length(m);
    const std::span<const Index> labels =
        std::span<const Index>(predictions.labels).subspan(token, length);
    token += length;
    const SequenceExplanation explanation = ExplainSequence(model, input.data, m, labels, top);
    const Offset first = input.data.begin[m];
    const Index number = numbers[j] + 1;
    if (task.flags.json) {
      sequences.push_back(ToJson(explanation, input.data, first, number));
    } else {
      text += (text.empty() ? "" : "\n") + Text(explanation, input.data, first, number);
    }
  }
  WriteOutput(task.out, task.flags.json ? JsonText({{"sequences", std::move(sequences)}}) : text);
  return 0;
}

}  // namespace slackline::internal::program
