// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/tasks/commands/cmd_task.h>

namespace slackline::internal::program {

void RegisterTask(Command* app, std::string* data, TaskOptions* options) {
  app->AddArgument("DATA", data, "training data")->Required();
  for (std::size_t k = 0; k < options->records().size(); ++k) {
    const TaskOption& record = options->records()[k];
    app->StartGroup(record.of_data ? kDataGroup : kModelGroup);
    Option* option = AddTextOption(app, record.name, options->value(k), record.placeholder,
                                   record.text, record.default_value);
    if (!record.basic) option->SetAudience(Audience::kCommand);
  }
}

void RegisterPrediction(Command* app, std::string* data, std::string* model, ThreadFlag* threads) {
  app->AddArgument("DATA", data, "examples")->Required();
  AddTextOption(app, "model", model, "M.slk", "the model")->Required();
  threads->Register(app);
}

}  // namespace slackline::internal::program
