// SPDX-License-Identifier: BSD-3-Clause
//
// A linear model: the score of an input x is offset + w·x, with the constant 1 as the last feature
// of x if the model has one. The score predicts a number, or its sign tells two classes apart. The
// offset is the mean of the numbers in training, or 0.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multiclass/model_inputs.h>
#include <slackline/core/feature_rows.h>
#include <slackline/learning/standalone/prox_loss.h>

namespace slackline::internal {

/// A loss with γ of the smoothed hinge, or ε of the absolute loss; else the parameter is 0.
struct LinearLoss {
  ScalarLossKind kind = ScalarLossKind::kHinge;
  double parameter = 0;

  /// Whether the parameter is in range.
  bool valid() const;
};

/// Whether a score predicts the second class. A score of 0 predicts the first.
inline bool PredictsSecond(double score) { return score > 0; }

class LinearModel {
 public:
  /// A model with all weights zero. class_names: two different ones, none where labels are numbers.
  /// Throws std::invalid_argument when these do not fit the loss.
  LinearModel(ModelInputs inputs, LinearLoss loss, std::vector<std::string> class_names,
              bool has_constant);

  const ModelInputs& inputs() const { return inputs_; }
  const FeatureScaling& scaling() const { return inputs_.scaling(); }
  const LinearLoss& loss() const { return loss_; }
  bool predicts_numbers() const { return TakesNumbers(loss_.kind); }
  /// The classes of negative and of positive scores; empty for numbers.
  const std::vector<std::string>& class_names() const { return class_names_; }
  bool has_constant() const { return has_constant_; }
  /// How to read data for this model.
  MultiLabelReadOptions ReadOptions() const;

  /// One weight per feature, then that of the constant if there is one.
  const std::vector<double>& weights() const { return weights_; }
  double offset() const { return offset_; }
  /// Weights: finite; missing ones at the end are 0. Requires a finite offset.
  void SetTrained(std::vector<double> weights, double offset);

  /// The scores of rows without the constant, scaled by the model's scaling. Throws DataError when
  /// scores are not finite, std::invalid_argument when rows have features that the model lacks.
  std::vector<double> Scores(const FeatureRows& rows) const;
  /// The same for rows of training data, which have the constant.
  std::vector<double> TrainingScores(const FeatureRows& rows) const;

  TrainingRecord record;

  void Save(const std::string& path) const { File().Save(path); }
  /// The contents of that file.
  ModelWriter File() const;
  /// Throws DataError when the file is damaged, not a model, or of another task, or when its
  /// entries contradict each other.
  static LinearModel Load(ModelReader file);
  static LinearModel Load(const std::string& path) { return Load(ModelReader(path)); }

 private:
  std::vector<double> ScoresFrom(const FeatureRows& rows, double constant) const;

  ModelInputs inputs_;
  LinearLoss loss_;
  std::vector<std::string> class_names_;
  bool has_constant_;
  std::vector<double> weights_;
  double offset_ = 0;
};

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kLinearTask = "linear";

}  // namespace slackline::internal
