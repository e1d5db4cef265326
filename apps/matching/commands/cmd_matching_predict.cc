// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching predict, and slackline matching evaluate
#include <cstdio>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/common/joined_results.h>
#include <slackline/apps/matching/commands/cmd_matching.h>
#include <slackline/apps/matching/matching_predict.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kPredictDescription =
    "Predicts a best matching of every example. DATA is read like training data; - reads the "
    "standard input. Labels in DATA\n"
    "are not used.\n\n"
    "--output pairs writes one line per example: the chosen edges as LEFT-RIGHT, separated by "
    "blanks.\n"
    "--output edges writes the examples as DATA has them, with the predicted labels and without "
    "features.\n"
    "--output scores writes the same, with the score of each edge after its label: what choosing "
    "the edge adds.";

constexpr const char* kPredictExamples =
    "Examples:\n"
    "  slackline matching predict drawn/test.txt --model alignments.slk --out predicted.txt\n"
    "  slackline matching predict drawn/test.txt --model alignments.slk --output scores";

constexpr const char* kEvaluateDescription =
    "Predicts the matchings of examples and compares them with the labels given in DATA. Edges "
    "whose label is not known (?) do not\ncount. Possible edges (p) are right where they are "
    "predicted, and not missed where they are not.";

constexpr const char* kEvaluateExamples =
    "Examples:\n"
    "  slackline matching evaluate drawn/test.txt --model alignments.slk\n"
    "  slackline matching evaluate drawn/test.txt --model alignments.slk --json > metrics.json";

struct MatchingPredictCommand {
  std::string data;
  std::string model;
  std::string output = "pairs";
  std::string out;
  bool json = false;
  bool quiet = false;
  ThreadFlag threads;
};

MatchingData LoadData(const MatchingModel& model, const MatchingPredictCommand& command) {
  MatchingData data = ReadMatchingsFor(model, command.data, ProcessRanks());
  if (data.unknown_features > 0 && !command.quiet) {
    std::fprintf(stderr, "note: %s of edges unknown to the model left out\n",
                 Count(data.unknown_features, "feature").c_str());
  }
  return data;
}

void AppendPairs(const MatchingData& data, const MatchingExample& example,
                 const MatchingPredictions& predictions, std::string* text) {
  bool first = true;
  for (Index e = example.first_edge; e < example.first_edge + example.num_edges; ++e) {
    if (predictions.labels[e] == 0) continue;
    const MatchingEdge& edge = data.edges[e];
    Append(text, "%s%d-%d", first ? "" : " ", static_cast<int>(edge.left),
           static_cast<int>(edge.right));
    first = false;
  }
  text->push_back('\n');
}

void AppendEdges(const MatchingData& data, const MatchingExample& example,
                 const MatchingPredictions& predictions, bool scores, std::string* text) {
  Append(text, "%d %d\n", static_cast<int>(example.num_left), static_cast<int>(example.num_right));
  for (Index e = example.first_edge; e < example.first_edge + example.num_edges; ++e) {
    const MatchingEdge& edge = data.edges[e];
    Append(text, "%d %d %d", static_cast<int>(edge.left), static_cast<int>(edge.right),
           static_cast<int>(predictions.labels[e]));
    if (scores) Append(text, " %.9g", predictions.scores[e]);
    text->push_back('\n');
  }
}

int RunPredict(const MatchingPredictCommand& command) {
  const std::size_t output = CheckChoice("output", command.output, {"pairs", "edges", "scores"});
  const int threads = command.threads.Read();
  if (!command.out.empty()) {
    OnFirstRank([&] { CheckOutput("out", command.out, {command.data, command.model}, true); });
  }
  const MatchingModel model = MakeOnAllRanks([&] { return MatchingModel::Load(command.model); });
  const MatchingData data = LoadData(model, command);
  const MatchingPredictions predictions =
      MakeOnAllRanks([&] { return PredictMatchings(model, data, threads); });
  Ranks& ranks = ProcessRanks();
  const bool any_before = SumBefore(ranks, data.num_examples()) > 0;
  std::string text;
  for (const MatchingExample& example : data.examples) {
    if (output == 0) {
      AppendPairs(data, example, predictions, &text);
      continue;
    }
    if (any_before || !text.empty()) text.push_back('\n');
    AppendEdges(data, example, predictions, output == 2, &text);
  }
  WriteJoinedOutput(command.out, std::move(text));
  if (!command.quiet) {
    std::int64_t counts[] = {data.num_examples(), 0, data.num_edges()};
    for (const Index label : predictions.labels) counts[1] += label;
    ranks.AddUp(counts);
    std::fprintf(stderr, "%s, %s of %s\n", Count(counts[0], "example").c_str(),
                 Count(counts[1], "edge").c_str(), Count(counts[2], "candidate").c_str());
  }
  return 0;
}

Json MetricsJson(const MatchingMetrics& metrics, const MatchingData& data) {
  return {{"examples", metrics.examples},     {"edges", metrics.edges},
          {"given", metrics.truth},           {"predicted", metrics.predicted},
          {"right", metrics.right},           {"possible", metrics.possible},
          {"tolerated", metrics.tolerated},   {"precision", metrics.precision},
          {"recall", metrics.recall},         {"f1", metrics.f1},
          {"error_rate", metrics.error_rate}, {"exact", metrics.exact},
          {"mean_loss", metrics.mean_loss},   {"unknown_features", data.unknown_features}};
}

std::string MetricsTable(const MatchingMetrics& metrics, const MatchingModel& model) {
  std::string text = Count(metrics.examples, "example") + ", " +
                     Count(metrics.edges, "candidate edge") + ", " + std::to_string(metrics.truth) +
                     " given and " + std::to_string(metrics.predicted) + " predicted\n";
  const bool sure = metrics.possible == 0;
  if (!sure) {
    text += Count(metrics.possible, "possible edge") + ", of which " +
            std::to_string(metrics.tolerated) + " predicted\n";
  }
  text += "\n";
  Append(&text, "precision             %8.4f   (share of the predicted edges that are %s)\n",
         metrics.precision, sure ? "right" : "given or possible");
  Append(&text, "recall                %8.4f   (share of the given edges that are found)\n",
         metrics.recall);
  Append(&text, "F1                    %8.4f\n", metrics.f1);
  Append(&text, "alignment error rate  %8.4f   (%s)\n", metrics.error_rate,
         sure ? "1 - F1: all given edges are sure ones" : "given edges are the sure ones");
  Append(&text, "exact                 %8.4f   (share of examples without a wrong edge)\n",
         metrics.exact);
  Append(&text,
         "mean loss             %8.4f   (per example: %g for a false edge, %g for a missed edge)\n",
         metrics.mean_loss, model.costs().precision, model.costs().recall);
  return text;
}

int RunEvaluate(const MatchingPredictCommand& command) {
  const int threads = command.threads.Read();
  const MatchingModel model = MakeOnAllRanks([&] { return MatchingModel::Load(command.model); });
  const MatchingData data = LoadData(model, command);
  const MatchingPredictions predictions =
      MakeOnAllRanks([&] { return PredictMatchings(model, data, threads); });
  const MatchingMetrics metrics =
      EvaluateMatchings(data, predictions.labels, model.costs(), ProcessRanks());
  OnFirstRank([&] {
    if (metrics.edges == 0)
      throw DataError(data.source, 0,
                      "no label is known: there is nothing to compare predictions with");
    WriteOutput("-",
                command.json ? JsonText(MetricsJson(metrics, data)) : MetricsTable(metrics, model));
  });
  return 0;
}

void AddCommon(Command* app, MatchingPredictCommand* command) {
  app->AddArgument("DATA", &command->data, "examples")->Required();
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->Required();
  command->threads.Register(app);
}

}  // namespace

void AddMatchingPredict(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"predict", kPredictDescription, kPredictExamples}, RunPredict);
  AddCommon(app, command);
  AddTextOption(app, "output", &command->output, "pairs|edges|scores", "what to write (see above)",
                "pairs");
  AddTextOption(app, "out", &command->out, "FILE", "where to write", "the standard output");
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
}

void AddMatchingEvaluate(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"evaluate", kEvaluateDescription, kEvaluateExamples}, RunEvaluate);
  AddCommon(app, command);
  app->AddFlag("--json", &command->json, "write JSON instead of a table");
  app->AddFlag("--quiet,-q", &command->quiet, "print only the result and errors");
}

}  // namespace slackline::internal::program
