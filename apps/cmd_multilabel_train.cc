// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel train
#include <memory>
#include <utility>

#include <slackline/apps/cmd_multilabel_common.h>
#include <slackline/core/check.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Trains a multi-label classifier and writes it to a model file.\n"
    "DATA is ARFF (Mulan; needs --labels) or LIBSVM (needs --labels or --num-labels), also gzip; - reads the "
    "standard "
    "input.\nCtrl-C ends training early and keeps the best model.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline multilabel train yeast-train.arff.gz --labels yeast.xml --model yeast.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --graph tree --lambda 0.001 --model r.slk\n"
    "  slackline multilabel train - --num-labels 30 --learner bcfw --time-limit 60 --log run.jsonl --model "
    "r.slk < "
    "reuters.svm\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --lambda-path 0.1:0.0001:7 --model r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --verify --model r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --checkpoint r.ckpt --model r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --checkpoint r.ckpt --resume r.ckpt --model "
    "r.slk";

struct TrainCommand {
  DataFlags data;
  SessionFlags session;
};

int Run(const TrainCommand& command) {
  SessionSettings settings = ReadSession(command.session, command.data.inputs());
  const DataSettings data_settings = command.data.Read(settings.train.learner);
  const MultiLabelData data = ReadTrainingData(command.data, data_settings);
  MultiLabelSession task(command.data, data_settings, data);
  return RunSession(command.session, std::move(settings), &task);
}

}  // namespace

void AddMultiLabelTrain(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<TrainCommand>();
  CLI::App* app = parent->add_subcommand("train", kDescription);
  command->data.Register(app);
  command->session.Register(app);
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
