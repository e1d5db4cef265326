// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_help.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include <slackline/learning/options.h>

namespace slackline::internal::program {
namespace {

constexpr std::string_view kModelOptions[] = {
    "graph",          "loss-weights",   "loss",        "bias",   "clusters",
    "label-counts",   "cluster-rounds", "calibrate",   "layers", "pairwise",
    "regions",        "potentials",     "constraints", "costs",  "left-capacity",
    "right-capacity", "precision-cost", "recall-cost", "kernel", "kernel-gamma",
    "kernel-degree",  "kernel-offset",  "regulariser", "epsilon"};
constexpr std::string_view kTrainingOptions[] = {"C", "lambda-path", "metric", "output"};
constexpr std::string_view kOutputOptions[] = {
    "model",    "log",  "quiet",   "verbose",  "verify", "checkpoint", "resume", "checkpoint-every",
    "no-refit", "json", "compact", "log-every"};
/// The training options (learning/options.h) that --help shows.
constexpr std::string_view kBasicTrainingOptions[] = {"lambda", "gap-tolerance", "time-limit",
                                                      "seed", "threads"};
/// The other options that --help does not show.
constexpr std::string_view kOnlyInHelpAll[] = {"format",
                                               "ignore-columns",
                                               "label-counts",
                                               "loss-weights",
                                               "bias",
                                               "clusters",
                                               "cluster-rounds",
                                               "min-count",
                                               "hash-bits",
                                               "costs",
                                               "pairwise",
                                               "regions",
                                               "C",
                                               "verbose",
                                               "verify",
                                               "checkpoint",
                                               "checkpoint-every",
                                               "resume",
                                               "skip-learned",
                                               "compact",
                                               "output"};

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsOfTraining(std::string_view name) {
  const auto records = OptionRecords();
  return std::any_of(records.begin(), records.end(),
                     [&](const OptionRecord& record) { return record.name == name; });
}

/// Costs are basic where no other option chooses the loss, and the parameters of regularisers and
/// losses where these are chosen.
bool IsBasic(const Command& command, std::string_view name) {
  if (name == "costs" && command.Find("loss") == nullptr) return true;
  if ((name == "l1" || name == "smoothing") && command.Find("regulariser") != nullptr) return true;
  return IsOfTraining(name) ? Has(kBasicTrainingOptions, name) : !Has(kOnlyInHelpAll, name);
}

/// cross_validation: `folds` is then an option of training, not of the data.
const char* GroupOf(std::string_view name, bool cross_validation) {
  if (Has(kModelOptions, name)) return "Model";
  if (Has(kOutputOptions, name)) return "Output";
  if (Has(kTrainingOptions, name) || IsOfTraining(name)) return "Training";
  return name == "folds" && cross_validation ? "Training" : "Data";
}

}  // namespace

void GroupHelp(Command* command) {
  const bool cross_validation = command->name() == "cv";
  for (const auto& option : command->options()) {
    if (option->positional() || option->hidden()) continue;
    const std::string name = option->name().substr(2);
    option->SetGroup(GroupOf(name, cross_validation));
    if (!IsBasic(*command, name)) option->ShowInFullHelpOnly();
  }
  command->ShowGroups({"Data", "Model", "Training", "Output"});
}

}  // namespace slackline::internal::program
