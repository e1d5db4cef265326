// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel predict
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>

#include <slackline/apps/cmd_common.h>
#include <slackline/apps/multilabel_predict.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Predicts the labels of examples.\n"
    "DATA is read like training data; labels that it has must be known to the model, and are not used. - "
    "reads the standard input.\n\n"
    "--output labels writes one line per example: the names of its labels, separated by commas (names that "
    "contain a "
    "comma\nor a quote stand in quotes); an empty line is an example without labels.\n"
    "--output scores writes a line with the names of all labels, then one line per example: for every label "
    "the "
    "difference\nbetween the best value of a labelling with it and the best value of a labelling without it. "
    "Positive: "
    "the label is on in\nthe best labelling; the larger the difference, the surer. With an LP decoder on a "
    "graph with "
    "cycles the values are\nthose of the relaxation.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline multilabel predict yeast-test.arff.gz --model yeast.slk --out predicted.txt\n"
    "  zcat reuters.svm.gz | slackline multilabel predict - --model r.slk --output scores > scores.csv";

struct PredictCommand {
  std::string data;
  std::string model;
  std::string output = "labels";
  std::string out;
  bool quiet = false;
  DecodeFlags decode;
};

std::string LabelLines(const MultiLabelModel& model, const std::vector<std::int8_t>& labels) {
  std::vector<std::string> cells;
  for (const std::string& name : model.label_names()) cells.push_back(CsvCell(name));
  std::string text;
  for (std::size_t row = 0; row < labels.size(); row += cells.size()) {
    bool first = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (labels[row + i] == 0) continue;
      if (!first) text += ',';
      text += cells[i];
      first = false;
    }
    text += '\n';
  }
  return text;
}

std::string ScoreLines(const MultiLabelModel& model, const std::vector<double>& scores) {
  const std::size_t n = model.label_names().size();
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    text += CsvCell(model.label_names()[i]);
    text += i + 1 < n ? ',' : '\n';
  }
  std::array<char, 32> buffer;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), scores[k], std::chars_format::general, 9)
            .ptr;
    text.append(buffer.data(), end);
    text += (k + 1) % n != 0 ? ',' : '\n';
  }
  return text;
}

int Run(const PredictCommand& command) {
  CheckChoice("output", command.output, {"labels", "scores"});
  PredictOptions options;
  options.decode = command.decode.ReadDecode();
  options.threads = command.decode.ReadThreads();
  options.scores = command.output == "scores";
  options.labels = !options.scores;
  if (!command.out.empty()) CheckOutput("out", command.out, {command.data, command.model}, true);

  const MultiLabelModel model = MultiLabelModel::Load(command.model);
  const MultiLabelData data = ReadMultiLabelData(command.data, model.ReadOptions());
  const MultiLabelPredictions predictions = Predict(model, data, options);
  WriteOutput(command.out,
              options.scores ? ScoreLines(model, predictions.scores) : LabelLines(model, predictions.labels));
  if (!command.quiet) {
    std::fprintf(stderr, "%s; decoded by: %s\n", Count(data.num_examples(), "example").c_str(),
                 predictions.decoder.c_str());
  }
  return 0;
}

}  // namespace

void AddMultiLabelPredict(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<PredictCommand>();
  CLI::App* app = parent->add_subcommand("predict", kDescription);
  app->add_option("DATA", command->data, "examples")->required()->type_name("");
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->required();
  AddTextOption(app, "output", &command->output, "labels|scores", "what to write (see above)", "labels");
  AddTextOption(app, "out", &command->out, "FILE", "where to write", "the standard output");
  command->decode.Register(app);
  app->add_flag("--quiet,-q", command->quiet, "say nothing but errors");
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
