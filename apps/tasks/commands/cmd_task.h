// SPDX-License-Identifier: BSD-3-Clause
//
// train, cv, predict and evaluate of every task that describes itself (apps/tasks/task.h). For
// predict and evaluate, the description also has
//
//   Predictions             their type
//   ReadFor(model, path, ranks)
//                           data for a model
//   Predict(model, data, threads), Evaluate(model, data, predictions, ranks)
//   kOutputs                the values of `predict --output`, "pairs|edges"; the first one is the
//                           default
//   Write(data, example, predictions, output, before, text)
//                           appends a prediction; before: whether others come before it
//   Summary(data, predictions, ranks)
//                           a line about all predictions
//   NumKnown(metrics), MetricEntries(metrics, data), MetricsText(metrics, model)
//                           the result of `evaluate`; entries of its JSON; its table
// Part of the program only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/joined_results.h>
#include <slackline/apps/tasks/task.h>

namespace slackline::internal::program {

/// The texts of a task's commands.
struct TaskTexts {
  CommandText train, cv, predict, evaluate;
  std::string_view metrics;  ///< what cross-validation can choose by
};

/// Adds DATA and an option for each record; parsing fills *data and *options.
void RegisterTask(Command* app, std::string* data, TaskOptions* options);
/// Adds DATA, --model and --threads of a command that predicts.
void RegisterPrediction(Command* app, std::string* data, std::string* model, ThreadFlag* threads);

template <class Task>
TaskInput<Task> LoadTask(const std::string& path, const TaskOptions& options,
                         const TrainOptions& train) {
  if constexpr (Task::kKernels != nullptr) RefuseKernels(train, Task::kKernels);
  const TaskRequest request{path, options, UsesKernel(train), train.ranks, ShardsFor(train)};
  auto [data, model] = Task::Load(request);
  return MakeTaskInput<Task>(request, std::move(data), std::move(model), ExactRanks(train));
}

/// The files that a command reads.
std::vector<std::string> InputFiles(const std::string& data, const TaskOptions& options);

template <class Task>
struct TaskTrainCommand {
  std::string data;
  TaskOptions options{Task::Options()};
  SessionFlags session;
};

template <class Task>
int RunTaskTrain(const TaskTrainCommand<Task>& command) {
  command.options.Check();
  SessionSettings settings =
      ReadSession(command.session, InputFiles(command.data, command.options));
  TaskInput<Task> input = LoadTask<Task>(command.data, command.options, settings.train);
  TaskTraining<Task> training(&input);
  return RunSession(command.session, std::move(settings), &training);
}

template <class Task>
struct TaskCvCommand {
  std::string data;
  TaskOptions options{Task::Options()};
  CvFlags cv;
};

/// text: for the help.
template <class Task>
CvMetrics TaskCvMetrics(std::string_view text) {
  CvMetrics metrics;
  for (const auto& figure : Task::Figures()) metrics.figures.push_back(figure.name);
  metrics.text = text;
  metrics.default_name = metrics.figures.front().name;
  return metrics;
}

template <class Task>
int RunTaskCv(const TaskCvCommand<Task>& command) {
  command.options.Check();
  const CvMetrics metrics = TaskCvMetrics<Task>({});
  const CvSettings settings = command.cv.Read(metrics, InputFiles(command.data, command.options));
  TaskInput<Task> input = LoadTask<Task>(command.data, command.options, settings.train);
  CvTask task;
  task.all = Task::kAll;
  task.figures = metrics.figures;
  task.shown.resize(metrics.figures.size());
  std::iota(task.shown.begin(), task.shown.end(), std::size_t{0});
  task.own = {{"loss", command.options.Has("loss") ? command.options.Text("loss")
                                                   : Task::LossText(command.options)}};
  task.session = [&](std::size_t) {
    return CompletedTask{std::make_unique<TaskTraining<Task>>(&input)};
  };
  return RunCv(command.cv, settings, TaskCv<Task>(input), task);
}

struct TaskPredictCommand {
  std::string data;
  std::string model;
  std::string output;
  std::string out;
  bool json = false;
  bool quiet = false;
  ThreadFlag threads;
};

/// The data of a command that predicts, its model, and their predictions.
template <class Task>
struct TaskPrediction {
  TaskPrediction(const TaskPredictCommand& command, int threads)
      : model(MakeOnAllRanks([&] { return Task::Model::Load(command.model); })),
        data(Task::ReadFor(model, command.data, ProcessRanks())) {
    if (!command.quiet) TellNotes(Task::Notes(data));
    predictions = MakeOnAllRanks([&] { return Task::Predict(model, data, threads); });
  }

  typename Task::Model model;
  typename Task::Data data;
  typename Task::Predictions predictions;
};

template <class Task>
int RunTaskPredict(const TaskPredictCommand& command) {
  const std::size_t output = CheckChoice("output", command.output, Alternatives(Task::kOutputs));
  const int threads = command.threads.Read();
  if (!command.out.empty()) {
    OnFirstRank([&] { CheckOutput("out", command.out, {command.data, command.model}, true); });
  }
  const TaskPrediction<Task> result(command, threads);
  Ranks& ranks = ProcessRanks();
  const bool any_before = SumBefore(ranks, result.data.num_examples()) > 0;
  std::string text;
  for (Index m = 0; m < result.data.num_examples(); ++m)
    Task::Write(result.data, m, result.predictions, output, any_before || m > 0, &text);
  WriteJoinedOutput(command.out, std::move(text));
  if (!command.quiet) {
    const std::string line = Task::Summary(result.data, result.predictions, ranks);
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  return 0;
}

template <class Task>
int RunTaskEvaluate(const TaskPredictCommand& command) {
  const TaskPrediction<Task> result(command, command.threads.Read());
  const auto metrics =
      Task::Evaluate(result.model, result.data, result.predictions, ProcessRanks());
  OnFirstRank([&] {
    if (Task::NumKnown(metrics) == 0)
      throw DataError(result.data.source, 0,
                      "no label is known: there is nothing to compare predictions with");
    WriteOutput("-", command.json ? JsonText(EntriesJson(Task::MetricEntries(metrics, result.data)))
                                  : Task::MetricsText(metrics, result.model));
  });
  return 0;
}

/// Add commands. texts: valid as long as the program runs.
template <class Task>
void AddTaskTrain(Command* parent, Action* action, const TaskTexts& texts) {
  const auto [app, command] = AddCommand(parent, action, texts.train, RunTaskTrain<Task>);
  RegisterTask(app, &command->data, &command->options);
  command->session.Register(app);
  app->ShowGroups();
}

template <class Task>
void AddTaskCv(Command* parent, Action* action, const TaskTexts& texts) {
  const auto [app, command] = AddCommand(parent, action, texts.cv, RunTaskCv<Task>);
  RegisterTask(app, &command->data, &command->options);
  command->cv.Register(app, TaskCvMetrics<Task>(texts.metrics), Task::kAll);
  app->ShowGroups();
}

/// Adds all four commands.
template <class Task>
void AddTaskCommands(Command* parent, Action* action, const TaskTexts& texts) {
  AddTaskTrain<Task>(parent, action, texts);
  {
    const auto [app, command] =
        AddCommand<TaskPredictCommand>(parent, action, texts.predict, RunTaskPredict<Task>);
    RegisterPrediction(app, &command->data, &command->model, &command->threads);
    command->output = Alternatives(Task::kOutputs).front();
    AddTextOption(app, "output", &command->output, Task::kOutputs, "what to write (see above)",
                  command->output);
    AddTextOption(app, "out", &command->out, "FILE", "where to write", "the standard output");
    app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
  }
  {
    const auto [app, command] =
        AddCommand<TaskPredictCommand>(parent, action, texts.evaluate, RunTaskEvaluate<Task>);
    RegisterPrediction(app, &command->data, &command->model, &command->threads);
    app->AddFlag("--json", &command->json, "write JSON instead of a table");
    app->AddFlag("--quiet,-q", &command->quiet, "print only the result and errors");
  }
  AddTaskCv<Task>(parent, action, texts);
}

}  // namespace slackline::internal::program
