// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/multilabel_predictor.h>

#include <cmath>

#include <slackline/apps/multilabel/tables/table_schema.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal {

MultiLabelPredictor::MultiLabelPredictor(const std::string& path, DecodeKind decode)
    : MultiLabelPredictor(MultiLabelModel::Load(path), decode) {}

MultiLabelPredictor::MultiLabelPredictor(MultiLabelModel model, DecodeKind decode)
    : model_(std::make_shared<const MultiLabelModel>(std::move(model))), decode_(decode) {
  auto names = std::make_shared<Names>();
  for (const std::string& name : model_->feature_names())
    names->features.emplace(name, static_cast<Index>(names->features.size()));
  if (const TableSchema* table = model_->input().table.get()) {
    for (const TableColumn& column : table->columns)
      names->columns.emplace(column.name, static_cast<Index>(names->columns.size()));
  }
  names_ = std::move(names);
  decoder_ = std::make_unique<Decoder>(model_->MakeDecoder(decode_));
}

MultiLabelPredictor::MultiLabelPredictor(const MultiLabelPredictor& other)
    : model_(other.model_),
      names_(other.names_),
      decode_(other.decode_),
      decoder_(std::make_unique<Decoder>(model_->MakeDecoder(decode_))) {}

MultiLabelPredictor& MultiLabelPredictor::operator=(const MultiLabelPredictor& other) {
  return *this = MultiLabelPredictor(other);
}

FeatureRows MultiLabelPredictor::MakeRow(const ExampleFeatures& features) const {
  const Index n = model_->num_features();
  for (const double value : features.values)
    SLACKLINE_CHECK(std::abs(value) <= kLargestValue, "a feature is not a number up to 1e50");
  std::vector<double> values(features.values.begin(), features.values.end());
  std::vector<Index> columns(features.columns.begin(), features.columns.end());
  SLACKLINE_CHECK(
      !features.dense || std::ssize(values) == n,
      std::to_string(values.size()) + " features, but the model has " + std::to_string(n));
  SLACKLINE_CHECK(columns.empty() || columns.back() < n,
                  "feature " + std::to_string(columns.back()) + ", but the model has " +
                      std::to_string(n) + ", numbered from 0");
  if (model_->has_constant() && !model_->kernelized()) {
    values.push_back(1);
    if (!features.dense) columns.push_back(n);
  }
  FeatureRows rows;
  if (features.dense) {
    rows.AddDense(values);
  } else {
    rows.AddSparse(columns, values);
  }
  return rows;
}

FeatureRows MultiLabelPredictor::MakeTableRow(const ExampleFeatures& features) const {
  FeatureRows given = MakeRow(features);
  const bool sparse = model_->input().table->sparse();
  const FeatureRow row = given.row(0);
  if (row.dense() != sparse) return given;
  std::vector<double> values;
  std::vector<Index> columns;
  for (Index k = 0; k < row.count; ++k) {
    if (!sparse) {
      values.resize(row.columns[k], 0.0);
      values.push_back(row.values[k]);
    } else if (row.values[k] != 0) {
      columns.push_back(k);
      values.push_back(row.values[k]);
    }
  }
  FeatureRows rows;
  if (sparse) {
    rows.AddSparse(columns, values);
  } else {
    const bool constant = model_->has_constant() && !model_->kernelized();
    values.resize(Offset{model_->num_features()} + (constant ? 1 : 0), 0.0);
    rows.AddDense(values);
  }
  return rows;
}

void MultiLabelPredictor::ScoreStates(const ExampleFeatures& features) {
  const bool table = model_->input().table != nullptr;
  auto rows =
      std::make_shared<const FeatureRows>(table ? MakeTableRow(features) : MakeRow(features));
  if (model_->scaling().active()) rows = model_->scaling().Apply(*rows, model_->num_features());
  const std::vector<Index> unknown(labels().size(), kUnlabelled);
  scores_.resize(model_->structure()->graph().total_states());
  model_->Scores(ExampleView(*model_->structure(), rows.get(), 0, {}, unknown), scores_);
}

std::vector<std::int8_t> MultiLabelPredictor::PredictFlags(const ExampleFeatures& features) {
  ScoreStates(features);
  decoder_->Decode(scores_, &result_);
  return {result_.labels.begin(), result_.labels.end()};
}

std::vector<std::string> MultiLabelPredictor::Predict(const ExampleFeatures& features) {
  const std::vector<std::int8_t> flags = PredictFlags(features);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < flags.size(); ++k) {
    if (flags[k] != 0) names.push_back(labels()[k]);
  }
  return names;
}

std::vector<double> MultiLabelPredictor::Scores(const ExampleFeatures& features) {
  ScoreStates(features);
  std::vector<double> differences(labels().size());
  decoder_->MaxMarginals(scores_, differences);
  return differences;
}

std::vector<std::string> MultiLabelPredictor::PredictNamed(
    std::span<const std::pair<std::string, double>> features) {
  std::vector<double> values(model_->num_features(), 0.0);
  std::vector<bool> given(values.size(), false);
  for (const auto& [name, value] : features) {
    const auto found = names_->features.find(name);
    SLACKLINE_CHECK(found != names_->features.end(), "the model has no feature '" + name + "'");
    const std::size_t column = found->second;
    SLACKLINE_CHECK(!given[column], "feature '" + name + "' is given twice");
    given[column] = true;
    values[column] = value;
  }
  return Predict(values);
}

std::vector<double> MultiLabelPredictor::FeaturesOfRow(
    std::span<const std::pair<std::string, std::string>> cells) const {
  const TableSchema* table = model_->input().table.get();
  SLACKLINE_CHECK(table != nullptr, "the model was not trained on a table");
  std::vector<std::string_view> texts(table->columns.size());  // a column without a text is missing
  std::vector<bool> given(texts.size(), false);
  for (const auto& [name, text] : cells) {
    const auto found = names_->columns.find(name);
    SLACKLINE_CHECK(found != names_->columns.end(),
                    "the model has no column '" + name + "' of features");
    const std::size_t column = found->second;
    SLACKLINE_CHECK(!given[column], "column '" + name + "' is given twice");
    given[column] = true;
    texts[column] = Trimmed(text);
  }
  TableRows rows(*table, false);
  for (std::size_t column = 0; column < texts.size(); ++column) {
    const CellOutcome outcome = rows.SetCell(column, texts[column], model_->input().fill_values);
    const auto cell = [&] {
      return "value " + Quoted(texts[column]) + " of column '" + table->columns[column].name + "'";
    };
    SLACKLINE_CHECK(outcome != CellOutcome::kTooLarge, cell() + " is too large (more than 1e50)");
    SLACKLINE_CHECK(outcome != CellOutcome::kNoNumber, cell() + " is not a finite number");
  }
  return rows.TakeValues();
}

}  // namespace slackline::internal
