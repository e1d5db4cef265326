// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/tasks/commands/cmd_task.h>

namespace slackline::internal::program {

void RegisterTask(Command* app, std::string* data, TaskOptions* options) {
  app->AddArgument("DATA", data, "training data")->Required();
  for (std::size_t k = 0; k < options->records().size(); ++k) {
    const TaskOption& record = options->records()[k];
    app->StartGroup(record.of_data ? kDataGroup : kModelGroup);
    const std::string_view shown =
        record.default_text.empty() ? record.default_value : record.default_text;
    Option* option = record.kind == TaskOption::Kind::kFlag
                         ? app->AddFlag("--" + std::string(record.name), options->flag(k),
                                        std::string(record.text))
                         : AddTextOption(app, record.name, options->value(k), record.placeholder,
                                         record.text, shown);
    if (!record.basic) option->SetAudience(Audience::kCommand);
  }
}

std::vector<std::string> InputFiles(const std::string& data, const TaskOptions& options) {
  std::vector<std::string> files = options.Files();
  files.insert(files.begin(), data);
  return files;
}

void RegisterPrediction(Command* app, std::string* data, std::string* model, ThreadFlag* threads) {
  app->AddArgument("DATA", data, "examples")->Required();
  AddTextOption(app, "model", model, "M.slk", "the model")->Required();
  threads->Register(app);
}

}  // namespace slackline::internal::program
