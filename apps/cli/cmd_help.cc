// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_help.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <slackline/learning/options.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kGroups[] = {"Data", "Model", "Training", "Output"};
constexpr std::size_t kColumn = 34;  // column of the texts, as in the help of all commands

constexpr std::string_view kModel[] = {
    "graph",          "loss-weights",   "loss",        "bias",   "clusters",
    "label-counts",   "cluster-rounds", "calibrate",   "layers", "pairwise",
    "regions",        "potentials",     "constraints", "costs",  "left-capacity",
    "right-capacity", "precision-cost", "recall-cost", "kernel", "kernel-gamma",
    "kernel-degree",  "kernel-offset",  "regulariser", "epsilon"};
constexpr std::string_view kTraining[] = {"C", "lambda-path", "metric", "output"};
constexpr std::string_view kOutput[] = {"model",    "log",        "quiet",   "verbose",
                                        "verify",   "checkpoint", "resume",  "checkpoint-every",
                                        "no-refit", "json",       "compact", "log-every"};
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

std::string_view LongName(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? std::string_view() : std::string_view(names.front());
}

bool IsOfTraining(std::string_view name) {
  const auto records = OptionRecords();
  return std::any_of(records.begin(), records.end(),
                     [&](const OptionRecord& record) { return record.name == name; });
}

/// Costs are basic where no other option chooses the loss, and the parameters of regularisers and
/// losses where these are chosen.
bool IsBasic(const CLI::App& app, const CLI::Option& option) {
  const std::string_view name = LongName(option);
  if (name == "costs" && app.get_option_no_throw("--loss") == nullptr) return true;
  if ((name == "l1" || name == "smoothing") && app.get_option_no_throw("--regulariser") != nullptr)
    return true;
  return IsOfTraining(name) ? Has(kBasicTrainingOptions, name) : !Has(kOnlyInHelpAll, name);
}

/// cross_validation: `folds` is then an option of training, not of the data.
const char* GroupOf(std::string_view name, bool cross_validation) {
  if (Has(kModel, name)) return "Model";
  if (Has(kOutput, name)) return "Output";
  if (Has(kTraining, name) || IsOfTraining(name)) return "Training";
  return name == "folds" && cross_validation ? "Training" : "Data";
}

class ShortFormatter : public CLI::Formatter {
 public:
  ShortFormatter() { column_width(kColumn); }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return CLI::Formatter::make_help(app, name, mode);
    const bool all = mode == CLI::AppFormatMode::All;
    std::string text =
        make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    for (const std::string group : kGroups) {
      std::vector<const CLI::Option*> options;
      for (const CLI::Option* option : app->get_options()) {
        if (option->nonpositional() && option->get_group() == group &&
            (all || IsBasic(*app, *option)))
          options.push_back(option);
      }
      if (!options.empty()) text += make_group(group, false, std::move(options));
    }
    text += "\n" + make_footer(app);
    if (!all) text += "\nAll options: --help-all\n";
    return text;
  }
};

}  // namespace

void GroupHelp(CLI::App* app) {
  const bool cross_validation = app->get_name() == "cv";
  for (CLI::Option* option : app->get_options()) {
    if (option == app->get_help_ptr() || !option->nonpositional()) continue;
    if (option->get_group().empty()) continue;  // hidden
    option->group(GroupOf(LongName(*option), cross_validation));
  }
  const std::string text = "all options";  // older versions of CLI11 take it by reference
  app->set_help_all_flag("--help-all", text);
  app->formatter(std::make_shared<ShortFormatter>());
}

}  // namespace slackline::internal::program
