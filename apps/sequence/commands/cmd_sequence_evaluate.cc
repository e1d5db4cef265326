// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence evaluate
#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/sequence/commands/cmd_sequence.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>
#include <slackline/apps/sequence/data/chunk_tags.h>
#include <slackline/apps/sequence/sequence_metrics.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSequenceEvaluateDescription =
    "Predicts the labels of sequences and compares them with the labels given in DATA. Unknown "
    "labels (?) do not count; labels that the\nmodel does not know count as errors. Where labels "
    "mark chunks (B-NP, I-NP, O, …), chunks are counted as the conlleval script does.";

constexpr const char* kSequenceEvaluateExamples =
    "Examples:\n"
    "  slackline sequence evaluate conll-test.txt.gz --model chunks.slk\n"
    "  slackline sequence evaluate letter.data.gz --folds 0 --model letters.slk --json > "
    "metrics.json";

struct SequenceEvaluateCommand {
  SequenceDataFlags data;
  std::string model;
  bool json = false;
  bool quiet = false;
  ThreadFlag threads;
};

Json ChunkJson(const ChunkMetrics& chunks) {
  return {
      {"precision", chunks.precision}, {"recall", chunks.recall},       {"f1", chunks.f1},
      {"given", chunks.truth},         {"predicted", chunks.predicted}, {"right", chunks.right}};
}

Json MetricsJson(const SequenceInput& input, const SequenceMetrics& metrics, bool chunks) {
  Json json = {{"sequences", metrics.sequences},
               {"tokens", metrics.tokens},
               {"token_accuracy", metrics.token_accuracy},
               {"sequence_accuracy", metrics.sequence_accuracy},
               {"hamming_loss", metrics.hamming_loss},
               {"unknown_features", input.unknown_features},
               {"chunks", nullptr}};
  if (!chunks) return json;
  json["chunks"] = ChunkJson(metrics.chunks);
  Json types = Json::array();
  for (const ChunkMetrics& type : metrics.chunk_types) {
    Json entry = {{"type", type.type}};
    entry.update(ChunkJson(type));
    types.push_back(std::move(entry));
  }
  json["chunks"]["types"] = std::move(types);
  return json;
}

std::string MetricsTable(const SequenceModel& model, const SequenceMetrics& metrics, bool chunks) {
  std::string text = Count(metrics.sequences, "sequence") + ", " + Count(metrics.tokens, "token") +
                     ", " + Count(model.num_labels(), "label") + "\n\n";
  Append(&text, "token accuracy     %8.4f   (share of tokens that are right)\n",
         metrics.token_accuracy);
  Append(&text, "sequence accuracy  %8.4f   (share of sequences without a wrong token)\n",
         metrics.sequence_accuracy);
  Append(&text, "Hamming loss       %8.4f   (mean over sequences of the share of wrong tokens)\n",
         metrics.hamming_loss);
  if (!chunks) return text;
  Append(&text, "\n%9s %9s %9s %9s %9s  chunks\n", "precision", "recall", "F1", "given",
         "predicted");
  const auto line = [&](const ChunkMetrics& type, const std::string& name) {
    Append(&text, "%9.4f %9.4f %9.4f %9lld %9lld  ", type.precision, type.recall, type.f1,
           static_cast<long long>(type.truth), static_cast<long long>(type.predicted));
    text += name + "\n";
  };
  line(metrics.chunks, "all");
  for (const ChunkMetrics& type : metrics.chunk_types) line(type, type.type);
  return text;
}

int RunSequenceEvaluate(const SequenceEvaluateCommand& command) {
  SequencePredictOptions options;
  options.threads = command.threads.Read();
  const SequenceModel model = MakeOnAllRanks([&] { return SequenceModel::Load(command.model); });
  const SequenceInput input = LoadSequences(model, command.data, command.quiet);
  const SequencePredictions predictions =
      MakeOnAllRanks([&] { return PredictSequences(model, input.data, input.sequences, options); });
  const SequenceMetrics metrics =
      EvaluateSequences(input.data, input.sequences, predictions.labels, ProcessRanks());
  OnFirstRank([&] {
    if (metrics.tokens == 0)
      throw DataError(input.data.source, 0,
                      "no label is known: there is nothing to compare predictions with");
    const bool chunks = LooksLikeChunks(model.label_names());
    WriteOutput("-", command.json ? JsonText(MetricsJson(input, metrics, chunks))
                                  : MetricsTable(model, metrics, chunks));
  });
  return 0;
}

}  // namespace

void AddSequenceEvaluate(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"evaluate", kSequenceEvaluateDescription, kSequenceEvaluateExamples},
      RunSequenceEvaluate);
  command->data.Register(app, "sequences with their labels");
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->Required();
  command->threads.Register(app);
  app->AddFlag("--json", &command->json, "write JSON instead of a table");
  app->AddFlag("--quiet,-q", &command->quiet, "print only the result and errors");
}

}  // namespace slackline::internal::program
