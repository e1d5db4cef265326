// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_task.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>

#include <slackline/apps/multiclass/class_costs.h>
#include <slackline/apps/multiclass/class_table_options.h>
#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

constexpr std::array kMulticlassOptions = WithTableOptions(
    "column of a table (CSV, TSV) with the classes: its name or position (3; -1 is the last "
    "column)",
    "columns that are neither classes nor features: names, patterns such as id_*, positions, or "
    "ranges (2:5), separated by commas",
    {{.name = "costs",
      .placeholder = "FILE",
      .text = "what errors cost: a table with a row for every true class and a column for every "
              "predicted class, both named; 0 on the diagonal",
      .default_value = "",
      .default_text = "1 for every error",
      .kind = TaskOption::Kind::kFile},
     {.name = "bias",
      .placeholder = "0|1",
      .text = "add a constant feature",
      .default_value = "1",
      .kind = TaskOption::Kind::kChoice,
      .basic = false}});

constexpr TaskFigure<MulticlassMetrics> kMulticlassFigures[] = {
    {{"cost", "mean_cost", "mean cost", true}, &MulticlassMetrics::mean_cost},
    {{"error", "error_rate", "error rate", true}, &MulticlassMetrics::error_rate},
    {{"macro-f1", "macro_f1", "macro F1"}, &MulticlassMetrics::macro_f1}};

void CheckWeights(const MulticlassData& data, bool all_examples) {
  if (data.weights.empty()) return;
  SLACKLINE_CHECK(!data.kernelized, "examples have no weights with a kernel");
  SLACKLINE_CHECK(all_examples, "cross-validation does not know weights of examples");
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

}  // namespace

std::span<const TaskOption> MulticlassTask::Options() { return kMulticlassOptions; }

std::span<const TaskFigure<MulticlassMetrics>> MulticlassTask::Figures() {
  return kMulticlassFigures;
}

std::pair<MulticlassData, MulticlassModel> MulticlassTask::Load(const TaskRequest& request) {
  const bool constant = request.options.Choice("bias") == 1;
  MulticlassData data =
      ReadMulticlassData(request.path, ClassReadOptions(request, constant && !request.kernelized));
  data.kernelized = request.kernelized;
  if (request.options.Given("costs")) {
    OnAllRanks(RanksOrOne(request.ranks), [&] {
      data.costs = ReadClassCosts(request.options.Text("costs"), data.class_names);
    });
  }
  MulticlassModel model = MakeModel(data, constant);
  return {std::move(data), std::move(model)};
}

MulticlassModel MulticlassTask::MakeModel(const MulticlassData& data, bool constant) {
  MulticlassModel model(data.class_names, data.num_features, constant);
  model.set_feature_names(data.feature_names);
  model.set_input(data.input, data.class_column);
  return model;
}

std::function<std::string(Index)> MulticlassTask::FeatureName(const MulticlassModel& /*model*/,
                                                              const MulticlassData& data) {
  return FeatureNames(data.feature_names);
}

Fingerprint MulticlassTask::Context(const MulticlassModel& model) {
  return {{"names of the classes", HashOfNames(model.class_names())}};
}

TrainingSet MulticlassTask::MakeTraining(const MulticlassModel& model, const MulticlassData& data,
                                         const TaskOptions& /*options*/,
                                         const std::vector<Index>* examples) {
  CheckWeights(data, examples == nullptr);
  LossOptions loss;
  loss.costs = data.costs;
  std::vector<Index> all(data.labels.size());
  std::iota(all.begin(), all.end(), 0);
  TrainingSet training =
      MakeTrainingSet(model.MakeDataset(WeightedRows(data.rows, data.weights), data.labels,
                                        examples == nullptr ? all : *examples, data.kernelized),
                      loss);
  for (std::size_t m = 0; m < data.weights.size(); ++m) {
    for (Offset s = training.loss_begin[m]; s < training.loss_begin[m + 1]; ++s)
      training.losses[s] *= data.weights[m];
  }
  return training;
}

MulticlassMetrics MulticlassTask::Measure(const MulticlassModel& model, const MulticlassData& data,
                                          const std::vector<Index>& examples, int threads) {
  const MulticlassPredictions predictions =
      PredictTrainingRows(model, *data.rows, examples, threads);
  std::vector<Index> truth;
  for (const Index m : examples) truth.push_back(data.labels[m]);
  return ComputeClassMetrics(model.num_classes(), model.num_classes(), truth, predictions.labels,
                             data.costs);
}

std::string MulticlassTask::DataLine(const TaskInput<MulticlassTask>& input, std::int64_t kept,
                                     Ranks& ranks) {
  const MulticlassModel& model = input.model;
  std::string line = "data: " + Count(kept, "example") + ", " +
                     Count(model.num_features(), "feature") +
                     (model.has_constant() ? " and a constant, " : ", ") +
                     std::to_string(model.num_classes()) + " classes";
  if (const std::int64_t unknown = ranks.SumOf(input.data.num_examples()) - kept; unknown > 0)
    line += ", " + Count(unknown, "example") + " without a known class left out";
  return line;
}

TaskEntries MulticlassTask::StartEntries(const TaskInput<MulticlassTask>& input,
                                         const TrainingSet& training) {
  return {{"skipped_examples", training.skipped_examples},
          {"features", input.model.num_features()},
          {"classes", input.model.num_classes()},
          {"weights", std::ssize(input.model.weights())}};
}

}  // namespace slackline::internal
