// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass predict
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_stream_output.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kDescription =
    "Predicts the classes of examples.\n"
    "DATA is read like training data; - reads the standard input. Columns of a table (CSV, TSV) "
    "are "
    "found by their names, in any\n"
    "order. A table needs no classes, and lines of LIBSVM data may begin with index:value; classes "
    "that are given are not used.\n"
    "From the standard input, and with --stream, each example is predicted as soon as its line is "
    "read, and its result is\n"
    "written at once, by one thread in little memory; notes come at the end. The file of --out "
    "appears only when it is\n"
    "complete.\n\n"
    "--output classes writes one line per example, with its class.\n"
    "--output scores writes a line with the names of all classes, then one line per example with "
    "the scores of all classes, of\n"
    "which the largest decides. Commas separate them; names with a comma or a quote are quoted.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline multiclass predict pixels-test.svm.gz --model digits.slk --out predicted.txt\n"
    "  zcat pixels-test.svm.gz | slackline multiclass predict - --model digits.slk --output scores "
    "> scores.csv";

struct PredictCommand {
  std::string data;
  std::string model;
  std::string output = "classes";
  std::string out;
  bool stream = false;
  bool quiet = false;
  ClassReadingFlags reading;
  ThreadFlag threads;
};

/// Writes predictions as lines of text.
class Lines {
 public:
  Lines(const MulticlassModel& model, bool scores) : scores_(scores) {
    for (const std::string& name : model.class_names())
      cells_.push_back(scores ? CsvCell(name) : name);
  }

  /// The text before all examples.
  std::string Head() const { return scores_ ? CellRow(cells_, ',') : std::string(); }
  void Append(const MulticlassPredictions& predictions, std::string* text) const {
    if (scores_) return AppendScoreRows(predictions.scores, cells_.size(), ',', text);
    for (const Index label : predictions.labels) *text += cells_[Size(label)] + '\n';
  }

 private:
  const bool scores_;
  std::vector<std::string> cells_;  // the names of the classes as written
};

void SayCount(const PredictCommand& command, std::int64_t examples) {
  if (!command.quiet) std::fprintf(stderr, "%s\n", Count(examples, "example").c_str());
}

/// Predicts each example and writes its line before reading the next one.
void PredictStream(const PredictCommand& command, const MulticlassModel& model,
                   const MultiLabelReadOptions& read) {
  LineReader lines(command.data);
  StreamOutput out(command.out);
  const Lines writer(model, command.output == "scores");
  const auto reader = OpenMultiLabelData(&lines, read);
  std::string text = writer.Head();
  std::int64_t examples = 0;
  for (; reader->Next(); ++examples) {
    writer.Append(PredictClasses(model, *reader->Examples().rows, 1), &text);
    reader->Forget();
    out.Write(text);
    text.clear();
  }
  out.Finish();
  if (!command.quiet) TellNotes(reader->Notes());
  SayCount(command, examples);
}

int Run(const PredictCommand& command) {
  CheckChoice("output", command.output, {"classes", "scores"});
  const int threads = command.threads.Read();
  if (!command.out.empty()) {
    OnFirstRank([&] { CheckOutput("out", command.out, {command.data, command.model}, true); });
  }
  RequireOneStream(command.stream, command.data);
  const MulticlassModel model =
      MakeOnAllRanks([&] { return MulticlassModel::Load(command.model); });
  const MultiLabelReadOptions read = command.reading.OptionsFor(model);
  if (command.stream || command.data == "-") {
    PredictStream(command, model, read);
    return 0;
  }
  const MultiLabelData data = ReadMultiLabelData(command.data, read);
  if (!command.quiet) TellNotes(data.notes);
  const MulticlassPredictions predictions =
      MakeOnAllRanks([&] { return PredictClasses(model, *data.rows, threads); });
  const Lines writer(model, command.output == "scores");
  std::string text = ProcessRanks().first() ? writer.Head() : std::string();
  writer.Append(predictions, &text);
  WriteJoinedOutput(command.out, std::move(text));
  SayCount(command, ProcessRanks().SumOf(data.num_examples()));
  return 0;
}

}  // namespace

void AddMulticlassPredict(CLI::App* parent, Action* action) {
  const auto [app, command] = AddCommand(parent, action, {"predict", kDescription, kExamples}, Run);
  app->add_option("DATA", command->data, "examples")->required()->type_name("");
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->required();
  AddTextOption(app, "output", &command->output, "classes|scores", "what to write (see above)",
                "classes");
  AddTextOption(app, "out", &command->out, "FILE", "where to write", "the standard output");
  app->add_flag(
      "--stream", command->stream,
      "write the line of each example as soon as it is read, as is always done if DATA is -");
  command->reading.Register(app);
  command->threads.Register(app);
  app->add_flag("--quiet,-q", command->quiet, "print only errors");
}

}  // namespace slackline::internal::program
