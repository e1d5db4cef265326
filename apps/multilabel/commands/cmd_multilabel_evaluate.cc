// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel evaluate
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/common/joined_results.h>
#include <slackline/apps/multilabel/commands/cmd_compare.h>
#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/commands/cmd_reliability.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMultiLabelEvaluateDescription =
    "Predicts the labels of examples and compares them with the labels given in DATA. Unknown "
    "labels (?) do not count.\n"
    "If a label is neither given nor predicted, its precision, recall and F1 are 0, also in macro "
    "F1; if the given and\n"
    "predicted sets of an example are both empty, its F1 and Jaccard index are 1.";

constexpr const char* kMultiLabelEvaluateExamples =
    "Examples:\n"
    "  slackline multilabel evaluate yeast-test.arff.gz --model yeast.slk\n"
    "  slackline multilabel evaluate yeast-test.arff.gz --model yeast.slk --decode lp --json > "
    "metrics.json\n"
    "  slackline multilabel evaluate yeast-test.arff.gz --model yeast.slk --compare "
    "yeast-train.arff.gz";

struct MultiLabelEvaluateCommand {
  std::string data;
  std::string model;
  std::string compare;
  bool json = false;
  ReadingFlags reading;
  DecodeFlags decode;
};

Json MetricsJson(const MultiLabelModel& model, const MultiLabelMetrics& metrics,
                 const MultiLabelPredictions& predictions) {
  Json labels = Json::array();
  for (std::size_t i = 0; i < metrics.labels.size(); ++i) {
    const LabelMetrics& label = metrics.labels[i];
    labels.push_back({{"name", model.label_names()[i]},
                      {"precision", label.precision},
                      {"recall", label.recall},
                      {"f1", label.f1},
                      {"support", label.support}});
  }
  return {{"examples", metrics.examples},
          {"hamming_loss", metrics.hamming_loss},
          {"subset_accuracy", metrics.subset_accuracy},
          {"micro_f1", metrics.micro_f1},
          {"macro_f1", metrics.macro_f1},
          {"example_f1", metrics.example_f1},
          {"jaccard", metrics.jaccard},
          {"fractional", predictions.fractional ? Json(*predictions.fractional) : Json(nullptr)},
          {"decoder", predictions.decoder},
          {"labels", std::move(labels)}};
}

std::string MetricsTable(const MultiLabelModel& model, const MultiLabelMetrics& metrics,
                         const MultiLabelPredictions& predictions) {
  std::string text = Count(metrics.examples, "example") + ", " +
                     Count(model.num_labels(), "label") + "; decoded by: " + predictions.decoder +
                     "\n\n";
  Append(&text, "Hamming loss     %8.4f   (share of wrong labels)\n", metrics.hamming_loss);
  Append(&text, "subset accuracy  %8.4f   (share of examples without a wrong label)\n",
         metrics.subset_accuracy);
  Append(&text, "micro F1         %8.4f\n", metrics.micro_f1);
  Append(&text, "macro F1         %8.4f\n", metrics.macro_f1);
  Append(&text, "example F1       %8.4f\n", metrics.example_f1);
  Append(&text, "Jaccard index    %8.4f\n", metrics.jaccard);
  if (predictions.fractional) {
    Append(&text, "fractional       %8.4f   (share of examples whose LP solution is fractional)\n",
           *predictions.fractional);
  }
  Append(&text, "\n%9s %9s %9s %9s  label\n", "precision", "recall", "F1", "support");
  for (std::size_t i = 0; i < metrics.labels.size(); ++i) {
    const LabelMetrics& label = metrics.labels[i];
    Append(&text, "%9.4f %9.4f %9.4f %9d  ", label.precision, label.recall, label.f1,
           static_cast<int>(label.support));
    text += model.label_names()[i] + "\n";
  }
  return text;
}

/// Prints what the command computes; returns the exit code. data: its labels and the predictions
/// are those of all ranks.
int ReportFigures(const MultiLabelEvaluateCommand& command, const MultiLabelModel& model,
                  const MultiLabelData& data, const MultiLabelPredictions& predictions) {
  const MultiLabelMetrics metrics =
      ComputeMetrics(model.num_labels(), data.labels, predictions.labels);
  Json json = MetricsJson(model, metrics, predictions);
  std::string table = MetricsTable(model, metrics, predictions);
  if (model.calibration()) {
    std::vector<double> probabilities = predictions.scores;
    ApplyCalibration(*model.calibration(), probabilities);
    AddReliability(ComputeReliability(probabilities, data.labels), &json, &table);
  }
  if (!command.compare.empty()) {
    const CompareTask task{model, metrics, data, command.decode.ReadThreads()};
    if (const int code = AddComparison(task, command.compare, &json, &table); code != 0)
      return code;
  }
  WriteOutput("-", command.json ? JsonText(json) : table);
  return 0;
}

int RunMultiLabelEvaluate(const MultiLabelEvaluateCommand& command) {
  Ranks& ranks = ProcessRanks();
  if (!command.compare.empty()) RequireOneProcess("--compare");
  PredictOptions options;
  options.ranks = &ranks;
  options.decode = command.decode.ReadDecode();
  options.threads = command.decode.ReadThreads();
  options.fractional = true;
  const MultiLabelModel model = command.reading.Load(command.model);
  options.scores = model.calibration().has_value();
  MultiLabelData data = command.reading.Read(command.data, model);
  TellNotes(data.notes);
  if (!ranks.Any(std::any_of(data.labels.begin(), data.labels.end(),
                             [](std::int8_t label) { return label >= 0; }))) {
    throw DataError(data.source, 0,
                    "no label is known: there is nothing to compare predictions with");
  }
  MultiLabelPredictions predictions = Predict(model, data, options);
  data.labels = JoinOnFirst(ranks, std::move(data.labels));
  predictions.labels = JoinOnFirst(ranks, std::move(predictions.labels));
  predictions.scores = JoinOnFirst(ranks, std::move(predictions.scores));
  int code = 0;
  OnFirstRank([&] { code = ReportFigures(command, model, data, predictions); });
  return code;
}

}  // namespace

void AddMultiLabelEvaluate(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"evaluate", kMultiLabelEvaluateDescription, kMultiLabelEvaluateExamples},
      RunMultiLabelEvaluate);
  app->AddArgument("DATA", &command->data, "examples with their labels")->Required();
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->Required();
  command->reading.Register(app);
  AddTextOption(app, "compare", &command->compare, "TRAIN",
                "also train independent labels (as train --graph none, with the default lambda) on "
                "TRAIN, the training data of the model, and show how much better the model is");
  command->decode.Register(app);
  app->AddFlag("--json", &command->json, "write JSON instead of a table");
}

}  // namespace slackline::internal::program
