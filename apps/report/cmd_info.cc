// SPDX-License-Identifier: BSD-3-Clause
//
// slackline info
#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_weight_text.h>
#include <slackline/apps/report/cmd_any_model.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kInfoDescription =
    "Shows what a model file contains, how it was trained, and what is certified.\n"
    "With --weights, shows by name the features that speak most for and against each label, and "
    "the pairs of labels that\n"
    "attract and repel each other most (for sequences transitions, for images links).";
constexpr const char* kInfoExamples =
    "Examples:\n"
    "  slackline info yeast.slk\n"
    "  slackline info yeast.slk --weights --top 5\n"
    "  slackline info yeast.slk --json";

struct InfoCommand {
  std::string model;
  bool json = false;
  bool weights = false;
  std::string top = "10";
};

int RunInfo(const InfoCommand& command) {
  WeightSummaryOptions options;
  options.top = ReadCount("top", command.top, 1);
  // The file is read only once, because it may be a pipe.
  const AnyModel model = LoadAnyModel(ModelReader(command.model));
  if (command.json) {
    Json json = FactsJson(model);
    if (command.weights) json["strongest"] = WeightsJson(WeightsOf(model, options));
    WriteOutput("-", JsonText(json));
    return 0;
  }
  std::string text;
  if (command.weights) {
    text = WeightsText(WeightsOf(model, options));
  } else {
    for (const auto& [name, value] : FactsOf(model))
      text += name + std::string(12 - name.size(), ' ') + value + "\n";
  }
  WriteOutput("-", text);
  return 0;
}

}  // namespace

void AddInfo(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"info", kInfoDescription, kInfoExamples}, RunInfo);
  app->AddArgument("MODEL", &command->model, "a model file")->Required();
  Option* weights = app->AddFlag("--weights", &command->weights,
                                 "show the strongest weights instead (with --json: in addition)");
  AddTextOption(app, "top", &command->top, "K",
                "number of weights of each kind that --weights shows", "10")
      ->Needs(weights);
  app->AddFlag("--json", &command->json, "write JSON instead of text");
}

}  // namespace slackline::internal::program
