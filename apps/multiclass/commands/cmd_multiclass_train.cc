// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass train
#include <utility>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass_session.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMulticlassTrainDescription =
    "Trains a classifier with one class per example (Crammer and Singer, 2001), and writes it to a "
    "model file.\n"
    "DATA is a table (CSV, TSV; needs --label-column) or LIBSVM, plain or gzip, or a folder with "
    "files part-...; - reads the standard\n"
    "input. Classes are texts as they stand; of LIBSVM data, the first field of every line. An "
    "example whose class is not\n"
    "known (empty, NA, ?) is left out. Ctrl-C ends training early and keeps the best model.";

constexpr const char* kMulticlassTrainExamples =
    "Examples:\n"
    "  slackline multiclass train pixels.svm.gz --model digits.slk\n"
    "  slackline multiclass train flowers.csv --label-column species --ignore-columns id --model "
    "f.slk\n"
    "  slackline multiclass train pixels.svm.gz --costs costs.csv --lambda 0.001 --model d.slk\n"
    "  slackline multiclass train pixels.svm.gz --costs costs.csv --learner multi-sample --samples "
    "10 --verify --model d.slk\n"
    "  slackline multiclass train pixels.svm.gz --kernel rbf --kernel-gamma 0.1 --model d.slk";

struct MulticlassTrainCommand {
  MulticlassFlags multiclass;
  SessionFlags session;
};

int RunMulticlassTrain(const MulticlassTrainCommand& command) {
  SessionSettings settings = ReadSession(command.session, command.multiclass.inputs());
  const MulticlassInput input = LoadMulticlass(command.multiclass, settings.train);
  MulticlassTraining training(input.data, input.scaled, input.options);
  return RunSession(command.session, std::move(settings), &training);
}

}  // namespace

void AddMulticlassTrain(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"train", kMulticlassTrainDescription, kMulticlassTrainExamples},
                 RunMulticlassTrain);
  command->multiclass.Register(app);
  command->session.Register(app);
  app->ShowGroups();
}

}  // namespace slackline::internal::program
