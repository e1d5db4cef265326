// SPDX-License-Identifier: BSD-3-Clause
//
// slackline linear predict
#include <cmath>
#include <string>
#include <vector>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/linear/commands/cmd_linear.h>
#include <slackline/apps/linear/linear_model.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kLinearPredictDescription =
    "Predicts the classes or the numbers of examples, one line each.\n"
    "DATA is read like training data; - reads the standard input. Columns of a table (CSV, TSV) "
    "are found by their names, in any\n"
    "order. A table needs no column of classes or numbers, and lines of LIBSVM data may begin with "
    "index:value.\n"
    "From the standard input, and with --stream, each example is predicted as soon as its line is "
    "read, and its result is\n"
    "written at once, in little memory. The file of --out appears only when it is complete.\n\n"
    "--output predictions writes classes or numbers.\n"
    "--output scores (classes) writes numbers that are positive for the second class.\n"
    "--output probabilities (loss logistic) writes the probability of the second class, 1 / (1 + "
    "exp(-score)).";

constexpr const char* kLinearPredictExamples =
    "Examples:\n"
    "  slackline linear predict houses-test.csv --model price.slk --out prices.txt\n"
    "  zcat mail-test.svm.gz | slackline linear predict - --model spam.slk --output probabilities";

struct LinearPredictCommand {
  LinesFlags lines;
  std::string output = "predictions";
};

/// Throws DataError when the model does not have the output.
void CheckOutputKind(const LinearModel& model, const std::string& output) {
  if (output == "scores" && model.predicts_numbers())
    throw DataError("--output: the model predicts numbers, which are its scores");
  if (output == "probabilities" && model.loss().kind != ScalarLossKind::kLogistic) {
    throw DataError("--output: the model was trained with the loss " +
                    std::string(Name(model.loss().kind)) +
                    "; probabilities need a model of the logistic loss");
  }
}

std::string LineOf(const LinearModel& model, const std::string& output, double score) {
  if (output == "probabilities") return Number(1 / (1 + std::exp(-score)), kScoreDigits);
  if (output == "scores" || model.predicts_numbers()) return Number(score, kScoreDigits);
  return model.class_names()[PredictsSecond(score) ? 1 : 0];
}

int RunLinearPredict(const LinearPredictCommand& command) {
  CheckChoice("output", command.output, {"predictions", "scores", "probabilities"});
  command.lines.CheckFiles();
  const LinearModel model = LinearModel::Load(command.lines.model);
  CheckOutputKind(model, command.output);
  LineWriter writer;
  writer.append = [&](const FeatureRows& rows, int, std::string* text) {
    for (const double score : model.Scores(rows))
      *text += LineOf(model, command.output, score) + "\n";
  };
  PredictLines(command.lines, model.ReadOptions(), writer);
  return 0;
}

}  // namespace

void AddLinearPredict(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"predict", kLinearPredictDescription, kLinearPredictExamples},
                 RunLinearPredict);
  command->lines.RegisterModel(app);
  AddTextOption(app, "output", &command->output, "predictions|scores|probabilities",
                "what to write (see above)", "predictions");
  command->lines.RegisterOut(app);
}

}  // namespace slackline::internal::program
