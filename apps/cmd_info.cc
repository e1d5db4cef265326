// SPDX-License-Identifier: BSD-3-Clause
//
// slackline info
#include <cmath>
#include <cstdio>
#include <memory>

#include <slackline/apps/cmd_common.h>
#include <slackline/apps/cmd_report.h>
#include <slackline/apps/multilabel_model.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Shows what a model file contains, how it was trained, and what is certified.";
constexpr const char* kExamples =
    "Examples:\n"
    "  slackline info yeast.slk\n"
    "  slackline info yeast.slk --json";

struct InfoCommand {
  std::string model;
  bool json = false;
};

double Norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

Json ModelJson(const MultiLabelModel& model) {
  const TrainingRecord& record = model.record;
  Json options = Json::object();
  for (const auto& [name, value] : record.options) options[name] = value;
  Json pairs = Json::array();
  for (const LabelPair& pair : model.pairs()) pairs.push_back({pair.a, pair.b});
  return {{"task", kMultiLabelTask},
          {"program", record.program},
          {"data", record.data},
          {"examples", record.num_examples},
          {"labels", model.label_names()},
          {"features", model.num_features()},
          {"constant", model.has_constant()},
          {"feature_names", !model.feature_names().empty()},
          {"pairs", std::move(pairs)},
          {"weights", model.weights().size()},
          {"weights_norm", Norm(model.weights())},
          {"lambda", record.lambda},
          {"loss", record.loss},
          {"problem", Name(record.problem)},
          {"primal", record.primal},
          {"dual", record.dual},
          {"gap", record.gap},
          {"relative_gap", record.relative_gap},
          {"termination", Name(record.termination)},
          {"message", record.message},
          {"passes", record.passes},
          {"seconds", record.seconds},
          {"check_seconds", record.check_seconds},
          {"options", std::move(options)}};
}

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + CsvCell(name);
  return text;
}

/// name and text of every line.
std::vector<std::pair<std::string, std::string>> ModelLines(const MultiLabelModel& model) {
  const TrainingRecord& record = model.record;
  const Offset n = model.num_labels();
  std::string options;
  for (const auto& [name, value] : record.options)
    options += (options.empty() ? "" : " ") + name + "=" + value;
  return {
      {"task", std::string(kMultiLabelTask)},
      {"trained by", record.program},
      {"data", record.data + ", " + Count(record.num_examples, "example")},
      {"labels", std::to_string(n) + ": " + Join(model.label_names())},
      {"features", std::to_string(model.num_features()) + (model.has_constant() ? " and a constant" : "") +
                       (model.feature_names().empty() ? "" : ", with names")},
      {"pairs", std::to_string(model.pairs().size()) + " of " + std::to_string(n * (n - 1) / 2)},
      {"weights", std::to_string(model.weights().size()) + ", norm " + Number(Norm(model.weights()))},
      {"objective",
       Number(record.primal, 8) + " (lambda " + Number(record.lambda) + ", loss " + record.loss + ")"},
      {"certified", std::string("the optimum of the ") +
                        (record.problem == CertifiedProblem::kExact ? "exact" : "LP-relaxed") +
                        " problem lies between " + Number(record.dual, 8) + " and " +
                        Number(record.primal, 8) + ", relative gap " + Number(100 * record.relative_gap, 3) +
                        " %"},
      {"ended", std::string(Name(record.termination)) + ": " + record.message},
      {"effort", Count(record.passes, "pass") + ", " + Number(record.seconds, 3) + " s of training and " +
                     Number(record.check_seconds, 3) + " s of checks"},
      {"options", options}};
}

int Run(const InfoCommand& command) {
  const MultiLabelModel model = MultiLabelModel::Load(command.model);
  std::string text;
  if (command.json) {
    text = JsonText(ModelJson(model));
  } else {
    for (const auto& [name, value] : ModelLines(model)) {
      text += name + std::string(12 - name.size(), ' ') + value + "\n";
    }
  }
  WriteOutput("-", text);
  return 0;
}

}  // namespace

void AddInfo(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<InfoCommand>();
  CLI::App* app = parent->add_subcommand("info", kDescription);
  app->add_option("MODEL", command->model, "a model file")->required()->type_name("");
  app->add_flag("--json", command->json, "write JSON instead of text");
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
