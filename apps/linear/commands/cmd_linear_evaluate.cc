// SPDX-License-Identifier: BSD-3-Clause
//
// slackline linear evaluate
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/linear/commands/cmd_linear.h>
#include <slackline/apps/linear/linear_data.h>
#include <slackline/apps/linear/linear_metrics.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kLinearEvaluateDescription =
    "Predicts the classes or the numbers of examples and compares them with those given in DATA. "
    "Unknown ones (empty, NA, ?)\n"
    "do not count, nor do classes that the model does not know.";

constexpr const char* kLinearEvaluateExamples =
    "Examples:\n"
    "  slackline linear evaluate houses-test.csv --model price.slk\n"
    "  slackline linear evaluate mail-test.svm --model spam.slk --json > metrics.json";

struct LinearEvaluateCommand {
  std::string data;
  std::string model;
  bool json = false;
  bool quiet = false;
  ClassReadingFlags reading;
};

std::string Table(const LinearModel& model, const LinearMetrics& metrics) {
  std::string text = Count(metrics.examples, "example");
  if (metrics.unknown > 0) text += ", " + Count(metrics.unknown, "other") + " not known";
  if (!model.predicts_numbers()) text += "; the second class is " + model.class_names()[1];
  text += "\n\n";
  for (const LinearFigure& figure : LinearFigures(model.predicts_numbers())) {
    const double number = metrics.*figure.value;
    const std::string value = std::isnan(number) ? "-" : Number(number, 5);
    Append(&text, "%-11s%12s   (%s)\n", std::string(figure.name.title).c_str(), value.c_str(),
           std::string(figure.meaning).c_str());
  }
  return text;
}

int RunLinearEvaluate(const LinearEvaluateCommand& command) {
  const LinearModel model = LinearModel::Load(command.model);
  const MultiLabelData data =
      ReadMultiLabelData(command.data, command.reading.OptionsFor(model.ReadOptions()));
  if (!command.quiet) TellNotes(data.notes);
  const LinearMetrics metrics = ComputeLinearMetrics(
      model.loss(), LinearLabels(data, model.predicts_numbers()), model.Scores(*data.rows));
  if (metrics.examples == 0)
    throw DataError(data.source, 0,
                    "no class or number is known: there is nothing to compare predictions with");
  Json json = {{"examples", metrics.examples}, {"unknown", metrics.unknown}};
  for (const LinearFigure& figure : LinearFigures(model.predicts_numbers()))
    json[std::string(figure.name.key)] = metrics.*figure.value;
  WriteOutput("-", command.json ? JsonText(json) : Table(model, metrics));
  return 0;
}

}  // namespace

void AddLinearEvaluate(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"evaluate", kLinearEvaluateDescription, kLinearEvaluateExamples},
                 RunLinearEvaluate);
  app->AddArgument("DATA", &command->data, "examples with their classes or numbers")->Required();
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->Required();
  command->reading.Register(app);
  app->AddFlag("--json", &command->json, "write JSON instead of a table");
  app->AddFlag("--quiet,-q", &command->quiet, "print only the result and errors");
}

}  // namespace slackline::internal::program
