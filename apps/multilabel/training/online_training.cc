// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/training/online_training.h>

#include <optional>

#include <slackline/apps/common/program_version.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

/// The model without the results of its own training.
MultiLabelModel Untrained(MultiLabelModel model) {
  if (model.kernelized()) {
    throw DataError(
        "a kernelized model cannot be trained online: its support vectors are examples");
  }
  model.set_weights(std::vector<double>(model.weights().size(), 0.0));
  model.set_calibration(std::nullopt);
  model.record = TrainingRecord();
  return model;
}

}  // namespace

OnlineTraining::OnlineTraining(MultiLabelModel model, OnlineTrainingOptions options)
    : model_(Untrained(std::move(model))),
      options_(std::move(options)),
      run_(options_.train, model_.structure()->layout().size()) {}

void OnlineTraining::Learn(const MultiLabelData& data) {
  TrainingSet training = MakeTrainingSet(model_.MakeDataset(data), options_.loss);
  const Index skipped = training.skipped_examples;
  if (training.data.size() > 0)
    VisitNext(Problem(std::move(training), options_.train.lambda), options_.train, &run_);
  skipped_ += skipped;
}

OnlineFigures OnlineTraining::figures() const {
  return run_.sums.Figures(options_.train.lambda,
                           options_.train.own<MultiSampleOptions>().online_loss);
}

void OnlineTraining::Save(const std::string& path, double seconds) {
  const OnlineFigures so_far = figures();
  model_.set_weights(run_.Output());
  TrainingRecord& record = model_.record;
  record.program = ProgramVersion();
  record.data = options_.data;
  record.options = options_.texts;
  for (const OptionRecord& option : OptionRecords()) {
    if (!option.outer)
      record.options.emplace_back(option.name, RecordedOption(option, options_.train));
  }
  record.num_examples = static_cast<Index>(so_far.steps);
  record.lambda = options_.train.lambda;
  record.loss = options_.loss_name;
  record.single_precision = options_.single_precision;
  record.termination = Termination::kMaxPasses;
  record.message = "online: one visit of each example";
  if (options_.train.own<MultiSampleOptions>().online_loss)
    record.message += "; mean loss of predictions before it " + NumberText(so_far.mean_loss, 4);
  record.passes = 1;
  record.seconds = seconds;
  model_.Save(path);
}

Fingerprint OnlineTraining::Identity() const {
  DataHash pairs;
  for (const LabelPair& pair : model_.pairs()) {
    const Index labels[] = {pair.a, pair.b};
    pairs.Add(std::span<const Index>(labels));
  }
  DataHash weights;
  weights.Add(options_.loss.given_weights);
  Fingerprint identity = {{"training", "online"},
                          {"number of features", std::to_string(model_.num_features())},
                          {"number of weights", std::to_string(model_.weights().size())},
                          {"names of the labels", HashOfNames(model_.label_names())},
                          {"names of the features", HashOfNames(model_.feature_names())},
                          {"graphs", pairs.Text()},
                          {"loss weights", weights.Text()},
                          {"--loss", options_.loss_name}};
  AddOptions(options_.train, &identity);
  return identity;
}

void OnlineTraining::Archive(StateArchive* archive) {
  run_.Archive(archive);
  archive->Count(&skipped_);
}

}  // namespace slackline::internal
