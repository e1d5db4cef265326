// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_training.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include <slackline/apps/training/dealt_examples.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/kernels/kernel_ranks.h>

namespace slackline::internal {
namespace {

void CheckWeights(const MulticlassData& data, bool kernelized) {
  if (data.weights.empty()) return;
  SLACKLINE_CHECK(!kernelized, "examples have no weights with a kernel");
  SLACKLINE_CHECK(data.weights.size() == data.labels.size() && AllFinite(data.weights) &&
                      std::all_of(data.weights.begin(), data.weights.end(),
                                  [](double weight) { return weight > 0; }),
                  "every example needs a finite weight > 0");
}

/// Every row times its weight.
std::shared_ptr<const FeatureRows> WeightedRows(std::shared_ptr<const FeatureRows> rows,
                                                const std::vector<double>& weights) {
  if (weights.empty()) return rows;
  auto weighted = std::make_shared<FeatureRows>();
  std::vector<double> values;
  for (Index m = 0; m < rows->size(); ++m) {
    const FeatureRow row = rows->row(m);
    values.assign(row.values, row.values + row.count);
    for (double& value : values) value *= weights[m];
    if (row.dense()) {
      weighted->AddDense(values);
    } else {
      weighted->AddSparse(std::span(row.columns, row.count), values);
    }
  }
  return weighted;
}

Problem MakeProblem(const MulticlassModel& model, const MulticlassData& data,
                    const ScaledInputs& scaled, const MulticlassTrainingOptions& options) {
  CheckWeights(data, options.kernelized);
  Ranks& ranks = RanksOrOne(options.ranks);
  if (!ranks.alone()) {
    if (options.kernelized) RefuseKernelOnRanks(ranks);
    RequireExamples({data.source, "example", "no example has a known class", data.num_known(),
                     static_cast<Index>(data.labels.size()) - data.num_known()},
                    ranks);
  }
  LossOptions loss;
  loss.costs = options.costs;
  TrainingSet training = MakeTrainingSet(
      model.MakeDataset(WeightedRows(scaled.rows, data.weights), data.labels, options.kernelized),
      loss);
  for (std::size_t m = 0; m < data.weights.size(); ++m) {
    for (Offset s = training.loss_begin[m]; s < training.loss_begin[m + 1]; ++s)
      training.losses[s] *= data.weights[m];
  }
  return Problem(std::move(training), 1, &ranks);
}

}  // namespace

ScaledInputs ScaleClasses(const MulticlassData& data, const MulticlassTrainingOptions& options) {
  return ScaleForTraining(
      options.scale, {data.source, data.rows, data.num_features, FeatureNames(data.feature_names)},
      options.ranks);
}

MulticlassModel MakeMulticlassModel(const MulticlassData& data, const FeatureScaling& scaling,
                                    const MulticlassTrainingOptions& options) {
  MulticlassModel model(data.class_names, data.num_features, options.constant);
  model.set_feature_names(data.feature_names);
  model.set_scaling(scaling);
  model.set_input(data.input, data.class_column);
  return model;
}

MulticlassTraining::MulticlassTraining(const MulticlassData& data, ScaledInputs scaled,
                                       const MulticlassTrainingOptions& options)
    : TrainTask(data.source, options.texts),
      scaled_(std::move(scaled)),
      notes_(data.notes),
      num_unknown_(data.num_examples() - data.num_known()),
      ranks_(RanksOrOne(options.ranks)),
      model_(MakeMulticlassModel(data, scaled_.scaling, options)),
      problem_(MakeProblem(model_, data, scaled_, options)) {}

std::vector<std::string> MulticlassTraining::DataLines() const {
  std::vector<std::string> lines = NoteLines(notes_);
  std::string& line =
      lines.emplace_back("data: " + Count(ranks_.SumOf(problem_.size()), "example") + ", " +
                         Count(model_.num_features(), "feature") +
                         (model_.has_constant() ? " and a constant, " : ", ") +
                         std::to_string(model_.num_classes()) + " classes");
  if (const std::int64_t unknown = ranks_.SumOf(num_unknown_); unknown > 0)
    line += ", " + Count(unknown, "example") + " without a known class left out";
  lines.push_back(scaled_.line);
  return lines;
}

std::string MulticlassTraining::ModelText() const {
  for (const auto& [name, text] : Texts().options) {
    if (name == "costs") return "costs of " + text;
  }
  return "loss 0/1";
}

TaskEntries MulticlassTraining::StartEntries() const {
  return {{"skipped_examples", problem_.training().skipped_examples},
          {"features", model_.num_features()},
          {"classes", model_.num_classes()},
          {"weights", std::ssize(model_.weights())}};
}

Fingerprint MulticlassTraining::Context() const {
  return {{"names of the classes", HashOfNames(model_.class_names())}};
}

}  // namespace slackline::internal
