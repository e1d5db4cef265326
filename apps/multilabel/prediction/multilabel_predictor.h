// SPDX-License-Identifier: BSD-3-Clause
//
// A multi-label model file, and predictions one example a call:
//
//   MultiLabelPredictor predictor("yeast.slk");
//   // As many numbers as the model has features:
//   const std::vector<std::string> labels = predictor.Predict(features);
//
// Results are those of `slackline multilabel predict`, bit for bit: of dense features those of
// dense ARFF rows, of sparse ones those of sparse rows. With a model of a table (CSV, TSV), both
// are those of the table's rows. Features are given as they stand in files; where the model scales
// them, that is done here.
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
/// std::invalid_argument when they do not fit the model, are not finite, or larger than 1e50,
/// before or after scaling. Models of tables have a feature for each numeric column and, for each
/// categorical one, as many as it has categories, 1 for that of the example and 0 for the others
/// (MultiLabelModel::feature_names).
struct ExampleFeatures {
  /// All features of the model, in its order.
  ExampleFeatures(std::span<const double> all) : values(all), dense(true) {}     // NOLINT: converts
  ExampleFeatures(const std::vector<double>& all) : values(all), dense(true) {}  // NOLINT: converts
  /// Features at[k] = numbers[k], `at` strictly increasing from 0; all others are 0. (LIBSVM counts
  /// from 1.)
  ExampleFeatures(std::span<const Index> at, std::span<const double> numbers)
      : values(numbers), columns(at) {}

  std::span<const double> values;
  std::span<const Index> columns;
  bool dense = false;
};

/// Calls use work space of the object: one predictor for each thread. Copies share the model.
class MultiLabelPredictor {
 public:
  /// Loads the model. Throws DataError as MultiLabelModel::Load does, and when the way to decode
  /// does not apply to the model.
  explicit MultiLabelPredictor(const std::string& path, DecodeKind decode = DecodeKind::kAuto);
  explicit MultiLabelPredictor(MultiLabelModel model, DecodeKind decode = DecodeKind::kAuto);
  MultiLabelPredictor(const MultiLabelPredictor& other);
  MultiLabelPredictor& operator=(const MultiLabelPredictor& other);
  MultiLabelPredictor(MultiLabelPredictor&&) = default;
  MultiLabelPredictor& operator=(MultiLabelPredictor&&) = default;

  const MultiLabelModel& model() const { return *model_; }
  /// The names of the labels; their order is that of flags and scores.
  const std::vector<std::string>& labels() const { return model_->label_names(); }

  /// The names of the example's labels, in their order, as many as the model allows
  /// (MultiLabelModel::label_counts); the same as 0 or 1 for each label.
  std::vector<std::string> Predict(const ExampleFeatures& features);
  std::vector<std::int8_t> PredictFlags(const ExampleFeatures& features);
  /// For each label: see MultiLabelPredictions::scores.
  std::vector<double> Scores(const ExampleFeatures& features);

  /// The numbers of features by their names; all others are 0. Throws std::invalid_argument on
  /// names that the model does not have (models of LIBSVM data have none), and on one given twice.
  std::vector<std::string> PredictNamed(std::span<const std::pair<std::string, double>> features);

  /// For models of tables: all features of a row, which has the names of columns and the texts of
  /// their cells, in any order: {"age", "31"}, {"colour", "red"}. As in files, NA and the like are
  /// missing values, which become the mean of training; categories unknown to the model are none.
  /// Columns that are not given count as missing. Throws std::invalid_argument when the model is
  /// none of a table, on columns that it does not have (also labels) or that are given twice, and
  /// on texts of numeric columns that are no numbers.
  std::vector<double> FeaturesOfRow(
      std::span<const std::pair<std::string, std::string>> cells) const;
  std::vector<std::string> PredictRow(std::span<const std::pair<std::string, std::string>> cells) {
    return Predict(FeaturesOfRow(cells));
  }

 private:
  using Positions = std::unordered_map<std::string, Index>;
  /// By their names.
  struct Names {
    Positions features;
    Positions columns;  // of a table
  };

  /// The only place where rows for the model are made, before scaling.
  FeatureRows MakeRow(const ExampleFeatures& features) const;
  /// The layout that rows of the model's table have.
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
