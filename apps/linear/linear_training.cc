// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/linear/linear_training.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <slackline/apps/training/train_task.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/default_lambda.h>

namespace slackline::internal {
namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The standard deviation; 1 where all values are equal.
double Deviation(std::span<const double> values) {
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares > 0 ? std::sqrt(squares / static_cast<double>(values.size())) : 1;
}

LinearModel EmptyModel(const LinearData& data, const FeatureScaling& scaling,
                       const LinearTrainingOptions& options) {
  ModelInputs inputs(data.num_features);
  inputs.set_feature_names(data.feature_names);
  inputs.set_scaling(scaling);
  inputs.set_input(data.input, data.class_column);
  return {std::move(inputs), options.loss, data.class_names, options.constant};
}

/// Throws DataError unless the number is usable. `what`: "--lambda".
double Usable(double value, double least, const std::string& what) {
  if (std::isfinite(value) && value >= least) return value;
  throw DataError(what + " would be " + NumberText(value, 6) + " for these data; pass a value");
}

std::uint64_t HashOfRows(const FeatureRows& rows) {
  DataHash hash;
  for (Index m = 0; m < rows.size(); ++m) {
    const FeatureRow row = rows.row(m);
    hash.Add(std::span<const double>(row.values, Size(row.count)));
    if (!row.dense()) hash.Add(std::span<const Index>(row.columns, Size(row.count)));
  }
  return hash.word();
}

}  // namespace

LinearTraining::LinearTraining(LinearData data, const LinearTrainingOptions& options)
    : options_(options),
      data_(std::move(data)),
      scaled_(ScaleForTraining(options.scale, {data_.source, data_.rows, data_.num_features,
                                               FeatureNames(data_.feature_names)})),
      model_(EmptyModel(data_, scaled_.scaling, options)) {
  data_.rows = scaled_.rows;
  problem_.rows = scaled_.rows;
  problem_.loss = options.loss.kind;
  problem_.loss_parameter = options.loss.parameter;
  problem_.labels = data_.labels;
  problem_.regulariser = options.regulariser;
  if (model_.predicts_numbers() && options.constant) offset_ = Mean(data_.labels);
  for (double& label : problem_.labels) label -= offset_;
  default_lambda_ = DefaultLambda();
  problem_.lambda = options.lambda;
  if (options.c > 0) problem_.lambda = 1 / (options.c * static_cast<double>(data_.labels.size()));
  if (problem_.lambda == 0) problem_.lambda = default_lambda_;
  problem_.lambda = Usable(problem_.lambda, kSmallestLambda, "--lambda");
  largest_l1_ = LargestUsefulL1(problem_);
  const bool problem_six = options.regulariser == LinearRegulariser::kL1;
  problem_.l1 = options.l1.value_or(problem_six ? kDefaultL1Share * largest_l1_ : 0);
  if (problem_six) Usable(problem_.l1, kSmallestLambda, "--l1");
}

double LinearTraining::DefaultLambda() const {
  CostScales scales;
  const FeatureRows& rows = *problem_.rows;
  const double constant = options_.constant ? 1 : 0;
  double squares = 0;
  for (Index m = 0; m < rows.size(); ++m) squares += rows.row(m).squared_norm;
  const double others = squares / rows.size() - constant;
  // The constant counts at most as much as all other features together.
  scales.mean_squared_norm = others > 0 ? others + std::min(constant, others) : 1;
  scales.variables_per_weight = static_cast<double>(rows.size()) / data_.num_features;
  scales.num_examples = rows.size();
  const bool absolute = options_.loss.kind == ScalarLossKind::kAbsolute;
  return absolute ? RoundedLambda(scales.DefaultLambda() / Deviation(data_.labels))
                  : scales.DefaultLambda();
}

Fingerprint LinearTraining::Context() const {
  DataHash labels, rows;
  labels.Add(std::span<const double>(problem_.labels));
  rows.Add(HashOfRows(*problem_.rows));
  const auto number = [](double value) { return NumberText(value); };
  return {{"number of examples", std::to_string(problem_.labels.size())},
          {"number of weights", std::to_string(model_.weights().size())},
          {"features of the data", rows.Text()},
          {"labels of the data", labels.Text()},
          {"names of the classes", HashOfNames(model_.class_names())},
          {"--loss", std::string(Name(problem_.loss))},
          {"parameter of the loss", number(problem_.loss_parameter)},
          {"--regulariser", std::string(Name(problem_.regulariser))},
          {"--lambda", number(problem_.lambda)},
          {"--l1", number(problem_.l1)},
          {"--sdca-step", std::to_string(static_cast<int>(options_.learner.step))},
          {"--output", std::string(Name(options_.learner.output))},
          {"--order", options_.learner.uniform ? "uniform" : "example"},
          {"--seed", std::to_string(options_.learner.seed)}};
}

}  // namespace slackline::internal
