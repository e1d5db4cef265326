// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel predict
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_stream_output.h>
#include <slackline/apps/multilabel/commands/cmd_calibrate.h>
#include <slackline/apps/multilabel/commands/cmd_multilabel_explain.h>
#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/prediction/multilabel_stream.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMultiLabelPredictDescription =
    "Predicts the labels of examples.\n"
    "DATA is read like training data. Its labels must be known to the model, but are not used. - "
    "reads the standard input.\n"
    "Columns of a table (CSV, TSV) are found by their names, in any order.\n"
    "From the standard input, and with --stream, each example is predicted as soon as its line is "
    "read, and its result is\n"
    "written at once, by one thread in little memory; notes come at the end. The file of --out "
    "appears only when it is\n"
    "complete.\n\n"
    "--output labels writes one line per example: the names of its labels, separated by commas "
    "(names that contain a comma or\n"
    "a quote are quoted); an empty line is an example without labels.\n"
    "--output scores writes a line with the names of all labels, then one line per example: for "
    "every label the best value of\n"
    "a labelling with it minus the best value of a labelling without it. If this difference is "
    "positive, the best labelling\n"
    "has the label; a larger difference means more certainty. With an LP decoder on a graph with "
    "cycles the values are those\n"
    "of the relaxation.\n"
    "--output probabilities writes the same with a probability between 0 and 1 for every label. "
    "The model must be trained\n"
    "with --calibrate, which fits the probabilities to scores of --decode auto.";

constexpr const char* kMultiLabelPredictExamples =
    "Examples:\n"
    "  slackline multilabel predict yeast-test.arff.gz --model yeast.slk --out predicted.txt\n"
    "  zcat reuters.svm.gz | slackline multilabel predict - --model r.slk --output scores > "
    "scores.csv\n"
    "  slackline multilabel predict yeast-test.arff.gz --model yeast.slk --explain 3";

struct MultiLabelPredictCommand {
  std::string data;
  std::string model;
  std::string output = "labels";
  std::string out;
  bool stream = false;
  bool quiet = false;
  ReadingFlags reading;
  DecodeFlags decode;
  ExplainFlags explain;
};

/// The names of the labels as written to the output.
std::vector<std::string> LabelCells(const MultiLabelModel& model) {
  std::vector<std::string> cells;
  for (const std::string& name : model.label_names()) cells.push_back(CsvCell(name));
  return cells;
}

/// Appends one line per example.
void AppendLabels(const std::vector<std::string>& cells, std::span<const std::int8_t> labels,
                  std::string* text) {
  for (std::size_t row = 0; row < labels.size(); row += cells.size()) {
    bool first = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (labels[row + i] == 0) continue;
      if (!first) *text += ',';
      *text += cells[i];
      first = false;
    }
    *text += '\n';
  }
}

/// The text before all examples.
std::string Head(const std::vector<std::string>& cells, const PredictOptions& options) {
  return options.scores ? CellRow(cells, ',') : std::string();
}

void SayCounts(Offset examples, const std::string& decoder) {
  std::fprintf(stderr, "%s; decoded by: %s\n", Count(examples, "example").c_str(), decoder.c_str());
}

/// Predicts each example and writes its line before reading the next one.
void PredictStream(const MultiLabelPredictCommand& command, const MultiLabelModel& model,
                   const MultiLabelReadOptions& read, const PredictOptions& options) {
  MultiLabelStream stream(model, command.data, read, options);
  StreamOutput out(command.out);
  const std::vector<std::string> cells = LabelCells(model);
  std::string text = Head(cells, options);
  while (stream.Next()) {
    if (command.output == "probabilities") {
      std::vector<double> probabilities(stream.scores().begin(), stream.scores().end());
      ApplyCalibration(*model.calibration(), probabilities);
      AppendScoreRows(probabilities, cells.size(), ',', &text);
    } else if (options.scores) {
      AppendScoreRows(stream.scores(), cells.size(), ',', &text);
    } else {
      AppendLabels(cells, stream.labels(), &text);
    }
    out.Write(text);
    text.clear();
  }
  out.Finish();
  if (command.quiet) return;
  TellNotes(stream.notes());
  SayCounts(stream.num_examples(), stream.decoder());
}

int RunMultiLabelPredict(const MultiLabelPredictCommand& command) {
  CheckChoice("output", command.output, {"labels", "scores", "probabilities"});
  PredictOptions options;
  options.decode = command.decode.ReadDecode();
  options.threads = command.decode.ReadThreads();
  options.scores = command.output != "labels";
  options.labels = !options.scores;
  options.ranks = &ProcessRanks();
  if (!command.out.empty()) {
    OnFirstRank([&] { CheckOutput("out", command.out, {command.data, command.model}, true); });
  }
  if (command.explain.wanted()) {
    RequireOneProcess("--explain");
    return ExplainMultiLabel(
        {command.data, command.model, command.out, command.reading, options, command.explain});
  }
  RequireOneStream(command.stream, command.data);

  const MultiLabelModel model = command.reading.Load(command.model);
  const bool probabilities = command.output == "probabilities";
  if (probabilities) RequireCalibration(model, command.model);
  const MultiLabelReadOptions read = command.reading.OptionsFor(model);
  if (command.stream || command.data == "-") {
    PredictStream(command, model, read, options);
    return 0;
  }
  const MultiLabelData data = ReadMultiLabelData(command.data, read);
  if (!command.quiet) TellNotes(data.notes);
  MultiLabelPredictions predictions = Predict(model, data, options);
  if (probabilities) ApplyCalibration(*model.calibration(), predictions.scores);
  const std::vector<std::string> cells = LabelCells(model);
  std::string text = ProcessRanks().first() ? Head(cells, options) : std::string();
  if (options.scores) {
    AppendScoreRows(predictions.scores, cells.size(), ',', &text);
  } else {
    AppendLabels(cells, predictions.labels, &text);
  }
  WriteJoinedOutput(command.out, std::move(text));
  if (!command.quiet) SayCounts(ProcessRanks().SumOf(data.num_examples()), predictions.decoder);
  return 0;
}

}  // namespace

void AddMultiLabelPredict(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"predict", kMultiLabelPredictDescription, kMultiLabelPredictExamples},
      RunMultiLabelPredict);
  app->AddArgument("DATA", &command->data, "examples")->Required();
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->Required();
  AddTextOption(app, "output", &command->output, "labels|scores|probabilities",
                "what to write (see above)", "labels");
  command->explain.Register(app, "example");
  AddTextOption(app, "out", &command->out, "FILE", "where to write", "the standard output");
  app->AddFlag(
      "--stream", &command->stream,
      "write the line of each example as soon as it is read, as is always done if DATA is -");
  command->reading.Register(app);
  command->decode.Register(app);
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
}

}  // namespace slackline::internal::program
