// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass predict
#include <string>
#include <vector>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/apps/multiclass/multiclass_predict.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMulticlassPredictDescription =
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

constexpr const char* kMulticlassPredictExamples =
    "Examples:\n"
    "  slackline multiclass predict pixels-test.svm.gz --model digits.slk --out predicted.txt\n"
    "  zcat pixels-test.svm.gz | slackline multiclass predict - --model digits.slk --output scores "
    "> scores.csv";

struct MulticlassPredictCommand {
  LinesFlags lines;
  std::string output = "classes";
};

/// Writes predictions as lines of text.
class ClassLines {
 public:
  ClassLines(const MulticlassModel& model, bool scores) : scores_(scores) {
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

int RunMulticlassPredict(const MulticlassPredictCommand& command) {
  CheckChoice("output", command.output, {"classes", "scores"});
  command.lines.CheckFiles();
  const MulticlassModel model =
      MakeOnAllRanks([&] { return MulticlassModel::Load(command.lines.model); });
  const ClassLines lines(model, command.output == "scores");
  LineWriter writer;
  writer.head = lines.Head();
  writer.append = [&](const FeatureRows& rows, int threads, std::string* text) {
    lines.Append(PredictClasses(model, rows, threads), text);
  };
  PredictLines(command.lines, model.ReadOptions(), writer);
  return 0;
}

}  // namespace

void AddMulticlassPredict(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"predict", kMulticlassPredictDescription, kMulticlassPredictExamples},
      RunMulticlassPredict);
  command->lines.RegisterModel(app);
  AddTextOption(app, "output", &command->output, "classes|scores", "what to write (see above)",
                "classes");
  command->lines.RegisterOut(app);
}

}  // namespace slackline::internal::program
