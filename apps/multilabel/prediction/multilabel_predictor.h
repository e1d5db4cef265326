// SPDX-License-Identifier: BSD-3-Clause
//
// A multi-label model file, and predictions with one call per example:
//
//   MultiLabelPredictor predictor("yeast.slk");
//   // As many numbers as the model has features:
//   const std::vector<std::string> labels = predictor.Predict(features);
//
// Results equal those of `slackline multilabel predict` bit for bit: dense features give the
// results of dense ARFF rows, sparse features those of sparse rows. With a model of a table (CSV,
// TSV), both give the results of the table's rows. Features are given unscaled, as in files; the
// predictor scales them if the model does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/inference/decode.h>

namespace slackline::internal {

/// Features of one example, without the constant. All functions that take them throw
/// std::invalid_argument when they do not fit the model, are not finite, or exceed 1e50 before or
/// after scaling. Models of tables have one feature for each numeric column. For each categorical
/// column they have one per category: 1 for the example's category and 0 for the others
/// (MultiLabelModel::feature_names).
struct ExampleFeatures {
  /// All features of the model, in its order.
  ExampleFeatures(std::span<const double> all) : values(all), dense(true) {}     // NOLINT: converts
  ExampleFeatures(const std::vector<double>& all) : values(all), dense(true) {}  // NOLINT: converts
  /// Features at[k] = numbers[k], where `at` is strictly ascending from 0; all others are 0.
  /// (LIBSVM counts from 1.)
  ExampleFeatures(std::span<const Index> at, std::span<const double> numbers)
      : values(numbers), columns(at) {}

  std::span<const double> values;
  std::span<const Index> columns;
  bool dense = false;
};

/// Calls use the object's work space: one predictor per thread. Copies share the model.
class MultiLabelPredictor {
 public:
  /// Loads the model. Throws DataError as MultiLabelModel::Load does, and when the decoding method
  /// does not apply to the model.
  explicit MultiLabelPredictor(const std::string& path, DecodeKind decode = DecodeKind::kAuto);
  explicit MultiLabelPredictor(MultiLabelModel model, DecodeKind decode = DecodeKind::kAuto);
  MultiLabelPredictor(const MultiLabelPredictor& other);
  MultiLabelPredictor& operator=(const MultiLabelPredictor& other);
  MultiLabelPredictor(MultiLabelPredictor&&) = default;
  MultiLabelPredictor& operator=(MultiLabelPredictor&&) = default;

  const MultiLabelModel& model() const { return *model_; }
  /// The names of the labels, in the order of flags and scores.
  const std::vector<std::string>& labels() const { return model_->label_names(); }

  /// The names of the example's labels in their order, or 0 or 1 for each label. The model bounds
  /// their number (MultiLabelModel::label_counts).
  std::vector<std::string> Predict(const ExampleFeatures& features);
  std::vector<std::int8_t> PredictFlags(const ExampleFeatures& features);
  /// For each label: see MultiLabelPredictions::scores.
  std::vector<double> Scores(const ExampleFeatures& features);

  /// Predicts from feature values by name; all other features are 0. Throws std::invalid_argument
  /// on names that the model does not have (models of LIBSVM data have none) and on repeated names.
  std::vector<std::string> PredictNamed(std::span<const std::pair<std::string, double>> features);

  /// For models of tables: all features of a row, given as pairs of column name and cell text in
  /// any order: {"age", "31"}, {"colour", "red"}. As in files, NA and the like are missing values
  /// and become the mean in training, and a category unknown to the model sets no feature. Columns
  /// that are not given count as missing. Throws std::invalid_argument when the model is not of a
  /// table, on columns that it does not have (also labels), on repeated columns, and on texts of
  /// numeric columns that are not numbers.
  std::vector<double> FeaturesOfRow(
      std::span<const std::pair<std::string, std::string>> cells) const;
  std::vector<std::string> PredictRow(std::span<const std::pair<std::string, std::string>> cells) {
    return Predict(FeaturesOfRow(cells));
  }

 private:
  using Positions = std::unordered_map<std::string, Index>;
  /// Positions by name.
  struct Names {
    Positions features;
    Positions columns;  // of a table
  };

  /// The only function that makes rows for the model, before scaling.
  FeatureRows MakeRow(const ExampleFeatures& features) const;
  /// A row in the layout of the model's table.
  FeatureRows MakeTableRow(const ExampleFeatures& features) const;
  void ScoreStates(const ExampleFeatures& features);

  std::shared_ptr<const MultiLabelModel> model_;
  std::shared_ptr<const Names> names_;
  DecodeKind decode_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<double> scores_;  // of all states
  MapResult result_;
};

}  // namespace slackline::internal
