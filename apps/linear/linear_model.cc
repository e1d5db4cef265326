// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/linear/linear_model.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

bool ClassesFit(const LinearLoss& loss, const std::vector<std::string>& names) {
  if (TakesNumbers(loss.kind)) return names.empty();
  return names.size() == 2 && names[0] != names[1];
}

}  // namespace

bool LinearLoss::valid() const {
  if (kind == ScalarLossKind::kSmoothedHinge) return std::isfinite(parameter) && parameter > 0;
  if (kind == ScalarLossKind::kAbsolute) return std::isfinite(parameter) && parameter >= 0;
  return parameter == 0;
}

LinearModel::LinearModel(ModelInputs inputs, LinearLoss loss, std::vector<std::string> class_names,
                         bool has_constant)
    : inputs_(std::move(inputs)),
      loss_(loss),
      class_names_(std::move(class_names)),
      has_constant_(has_constant),
      weights_(Size(inputs_.num_features()) + (has_constant ? 1 : 0), 0.0) {
  SLACKLINE_CHECK(loss_.valid() && ClassesFit(loss_, class_names_),
                  "the classes or the parameter do not fit the loss");
}

MultiLabelReadOptions LinearModel::ReadOptions() const {
  const std::vector<std::string> number = {"number"};
  MultiLabelReadOptions options = inputs_.ReadOptions(predicts_numbers() ? number : class_names_);
  options.numbers = predicts_numbers();
  return options;
}

void LinearModel::SetTrained(std::vector<double> weights, double offset) {
  SLACKLINE_CHECK(weights.size() <= weights_.size() && AllFinite(weights) && std::isfinite(offset),
                  "the weights do not fit the model");
  weights.resize(weights_.size(), 0.0);
  weights_ = std::move(weights);
  offset_ = offset;
}

std::vector<double> LinearModel::Scores(const FeatureRows& rows) const {
  SLACKLINE_CHECK(rows.dimension() <= inputs_.num_features(),
                  "the rows do not have the features of the model");
  return ScoresFrom(rows, offset_ + (has_constant_ ? weights_.back() : 0));
}

std::vector<double> LinearModel::TrainingScores(const FeatureRows& rows) const {
  return ScoresFrom(rows, offset_);
}

std::vector<double> LinearModel::ScoresFrom(const FeatureRows& rows, double constant) const {
  std::vector<double> scores;
  for (Index m = 0; m < rows.size(); ++m) {
    double score = constant;
    ForEachValue(rows.row(m), static_cast<Index>(weights_.size()),
                 [&](std::size_t f, double value) { score += weights_[f] * value; });
    scores.push_back(score);
  }
  // Finite weights of a manipulated model file may have infinite sums.
  if (!AllFinite(scores)) throw DataError("the model's weights are too large for these inputs");
  return scores;
}

ModelWriter LinearModel::File() const {
  ModelWriter writer;
  writer.Add("task", std::string(kLinearTask));
  writer.Add("loss_kind", std::string(Name(loss_.kind)));
  writer.Add("loss_parameter", std::vector<double>{loss_.parameter});
  writer.Add("classes", class_names_);
  inputs_.SaveFeatures(&writer);
  writer.Add("constant", std::vector<std::int64_t>{has_constant_ ? 1 : 0});
  writer.Add("offset", std::vector<double>{offset_});
  SaveScaling(inputs_.scaling(), &writer);
  writer.AddWeights("weights", weights_, record.single_precision);
  inputs_.SaveReading(&writer);
  SaveRecord(record, &writer);
  return writer;
}

LinearModel LinearModel::Load(ModelReader file) {
  ModelEntries entries(std::move(file), kLinearTask);
  LinearLoss loss;
  loss.kind = entries.Choose("loss_kind", {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge,
                                           ScalarLossKind::kSquared, ScalarLossKind::kLogistic,
                                           ScalarLossKind::kAbsolute});
  loss.parameter = entries.Doubles("loss_parameter", 1)[0];
  entries.Require(loss.valid(), "loss_parameter");
  const auto& classes = entries.file().Strings("classes");
  entries.Require(ClassesFit(loss, classes), "classes");
  const std::int64_t constant = entries.Integers("constant", 1)[0];
  entries.Require(constant == 0 || constant == 1, "constant");
  ModelInputs inputs = ModelInputs::Load(entries);
  const double offset = entries.Doubles("offset", 1)[0];
  entries.Require(std::isfinite(offset), "offset");
  // Checks the size before anything is allocated by it.
  std::vector<double> weights =
      entries.TakeWeights(Size(inputs.num_features()) + static_cast<std::size_t>(constant));
  LinearModel model(std::move(inputs), loss, classes, constant == 1);
  model.SetTrained(std::move(weights), offset);
  model.record = LoadRecord(entries);
  return model;
}

}  // namespace slackline::internal
