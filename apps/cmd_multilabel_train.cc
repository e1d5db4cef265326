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

class MultiLabelSession : public SessionTask {
 public:
  MultiLabelSession(const DataFlags& flags, const DataSettings& settings, const MultiLabelData& data)
      : flags_(flags), data_(data), task_(MakeTask(flags, settings, data)) {}

  const Problem& problem() const override { return task_.problem; }

  Fingerprint Context() const override {
    DataHash names;
    for (const std::string& name : data_.label_names) names.Add(name);
    return {{"names of the labels", names.Text()}};
  }

  void Describe(const LearnerChoice& choice, const std::string& lambda) const override {
    DescribeData(data_, task_.problem.training());
    DescribeLearner(flags_, task_.model, choice, lambda);
  }

  Json Begin(const Problem& problem, const LearnerChoice& choice) override {
    MultiLabelModel& model = task_.model;
    BeginMultiLabelRecord(flags_, data_, problem, choice.options, &model);
    Json start = StartJson(model.record, choice);
    start["skipped_examples"] = problem.training().skipped_examples;
    start["skipped_labels"] = problem.training().skipped_variables;
    start["features"] = model.num_features();
    start["labels"] = model.num_labels();
    start["pairs"] = model.pairs().size();
    start["weights"] = model.weights().size();
    return start;
  }

  void Save(const TrainSummary& summary, const std::string& path) override {
    FinishMultiLabelModel(summary, &task_.model);
    task_.model.Save(path);
  }

 private:
  const DataFlags& flags_;
  const MultiLabelData& data_;
  MultiLabelTask task_;
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
