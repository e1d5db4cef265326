// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass cv
#include <memory>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass_session.h>
#include <slackline/apps/multiclass/multiclass_cv.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMulticlassCvDescription =
    "Chooses lambda by cross-validation, then trains with it on all data.\n"
    "The examples are divided into K folds at random. For each fold, models are trained on the "
    "other folds for all values of\n"
    "lambda, from the largest to the smallest, each starting from the solution of the previous "
    "one, and are evaluated on the\n"
    "fold. The table has mean and standard deviation over the folds. Ctrl-C ends cross-validation "
    "early. Features are scaled\n"
    "over all examples.";

constexpr const char* kMulticlassCvExamples =
    "Examples:\n"
    "  slackline multiclass cv pixels.svm.gz --model digits.slk\n"
    "  slackline multiclass cv flowers.csv --label-column species --lambda-path 0.1,0.01,0.001 "
    "--metric macro-f1 --no-refit --json";

CvMetrics MulticlassCvMetrics() {
  CvMetrics metrics;
  metrics.figures.assign(MulticlassFigures().begin(), MulticlassFigures().end());
  metrics.text =
      "what to choose by: mean cost of an example (without --costs the error rate), error rate "
      "(the smaller the better) or macro F1. Of equal values, the largest lambda is chosen";
  metrics.default_name = "cost";
  return metrics;
}

struct MulticlassCvCommand {
  MulticlassFlags multiclass;
  CvFlags cv;
};

int RunMulticlassCv(const MulticlassCvCommand& command) {
  const CvSettings settings = command.cv.Read(MulticlassCvMetrics(), command.multiclass.inputs());
  const MulticlassInput input = LoadMulticlass(command.multiclass, settings.train);
  CvTask task;
  task.figures = MulticlassCvMetrics().figures;
  task.shown = {0, 1, 2};
  task.own = {{"loss", input.options.texts.loss}};
  task.session = [&](std::size_t) {
    return CompletedTask{
        std::make_unique<MulticlassTraining>(input.data, input.scaled, input.options)};
  };
  return RunCv(command.cv, settings, MulticlassCv(input.data, input.scaled, input.options), task);
}

}  // namespace

void AddMulticlassCv(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"cv", kMulticlassCvDescription, kMulticlassCvExamples}, RunMulticlassCv);
  command->multiclass.Register(app);
  command->cv.Register(app, MulticlassCvMetrics(), "all data");
  app->ShowGroups();
}

}  // namespace slackline::internal::program
