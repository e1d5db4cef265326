// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel cv
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMultiLabelCvDescription =
    "Chooses lambda by cross-validation, then trains with it on all data.\n"
    "The examples are divided into K folds at random. For each fold, models are trained on the "
    "other folds for all values of\n"
    "lambda, from the largest to the smallest, each starting from the solution of the previous "
    "one, and are evaluated on the\n"
    "fold. With --graph auto, or a list, graphs are compared on the same folds. The table has mean "
    "and standard deviation\n"
    "over the folds. Ctrl-C ends cross-validation early.";

constexpr const char* kMultiLabelCvExamples =
    "Examples:\n"
    "  slackline multilabel cv yeast-train.arff.gz --labels yeast.xml --model yeast.slk\n"
    "  slackline multilabel cv yeast-train.arff.gz --labels yeast.xml --graph auto --model "
    "yeast.slk\n"
    "  slackline multilabel cv reuters.svm.gz --num-labels 30 --lambda-path 0.01,0.001 --folds 10 "
    "--metric hamming --no-refit --json";

/// Metrics in the table besides the one to choose by: Hamming loss and subset accuracy.
constexpr std::size_t kShown[] = {0, 1};

CvMetrics MultiLabelCvMetrics() {
  CvMetrics metrics;
  metrics.figures.assign(MultiLabelFigures().begin(), MultiLabelFigures().end());
  metrics.text = "what to choose by";
  metrics.default_name = "micro-f1";
  return metrics;
}

struct MultiLabelCvCommand {
  DataFlags data;
  CvFlags cv;
  bool calibrate = false;
};

int RunMultiLabelCv(const MultiLabelCvCommand& command) {
  if (command.calibrate && command.cv.no_refit)
    throw DataError(
        "--calibrate cannot be combined with --no-refit: there is no model to calibrate");
  const CvSettings cv = command.cv.Read(MultiLabelCvMetrics(), command.data.inputs());
  const DataSettings settings = command.data.Read(cv.train);
  const TrainingData training = ReadTrainingData(command.data, settings);
  CvTask task;
  task.figures = MultiLabelCvMetrics().figures;
  task.candidate_key = "graph";
  task.candidates = TellGraphCandidates(settings, training, command.cv.quiet);
  // The folds of the cross-validation also calibrate the final model.
  std::optional<CalibrationPlan> calibration;
  if (command.calibrate)
    calibration =
        PlanCalibration(training.data, {cv.folds, cv.train.seed, command.cv.quiet}, OneRank());
  task.shown = {cv.metric};
  for (const std::size_t figure : kShown) {
    if (figure != cv.metric) task.shown.push_back(figure);
  }
  task.own = {{"loss", command.data.loss}};
  task.session = [&](std::size_t candidate) {
    auto made = MakeMultiLabelTraining(settings, training, task.candidates[candidate]);
    Completion complete;
    if (calibration) complete = CalibrateBy(*calibration, made.get());
    return CompletedTask{std::move(made), std::move(complete)};
  };
  const MultiLabelCv application(
      training.data,
      CvOptionsOf(settings.training,
                  std::vector<LabelGraph>(task.candidates.begin(), task.candidates.end())));
  const int code = RunCv(command.cv, cv, application, task);
  return calibration ? calibration->ExitCode(code) : code;
}

}  // namespace

void AddMultiLabelCv(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"cv", kMultiLabelCvDescription, kMultiLabelCvExamples}, RunMultiLabelCv);
  command->data.Register(app);
  command->cv.Register(app, MultiLabelCvMetrics(), "all data");
  AddCalibrateFlag(app, &command->calibrate, "from the same folds");
  app->ShowGroups();
}

}  // namespace slackline::internal::program
