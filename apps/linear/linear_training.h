// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a linear model on data in memory: the problems of linear_learner.h. With numbers
// and a constant, the mean of the numbers is subtracted first, and becomes the model's offset.
#pragma once

#include <optional>
#include <string>

#include <slackline/apps/linear/linear_data.h>
#include <slackline/apps/linear/linear_model.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/learning/run/fingerprint.h>
#include <slackline/learning/standalone/linear_learner.h>

namespace slackline::internal {

/// σ of --regulariser l1 by default, as a share of the smallest one for which all weights are 0.
inline constexpr double kDefaultL1Share = 0.01;

struct LinearTrainingOptions {
  LinearLoss loss;
  LinearRegulariser regulariser = LinearRegulariser::kL2;
  double lambda = 0;         ///< 0: from the data
  double c = 0;              ///< > 0: λ = 1/(c n)
  std::optional<double> l1;  ///< σ; nullopt: 0, and from the data for problem (6)
  bool constant = true;
  std::optional<ScaleKind> scale;  ///< nullopt: auto
  LinearLearnerOptions learner;
};

class LinearTraining {
 public:
  /// Throws what ScaleForTraining throws, and DataError when λ or σ is out of range.
  LinearTraining(LinearData data, const LinearTrainingOptions& options);

  const LinearProblem& problem() const { return problem_; }
  /// The data; their rows are scaled, and their labels are those of the file.
  const LinearData& data() const { return data_; }
  const ScaledInputs& scaled() const { return scaled_; }
  /// LargestUsefulL1 of the problem.
  double largest_l1() const { return largest_l1_; }
  /// λ by the rule of learning/default_lambda.h: C·R² = 4 · √max(1, v/40), with v examples per
  /// feature. For the absolute loss divided by the standard deviation of the labels, so that it
  /// follows their unit.
  double default_lambda() const { return default_lambda_; }

  LinearModel* model() { return &model_; }
  /// Puts the weights of the learner into the model.
  void SetWeights(const std::vector<double>& weights) { model_.SetTrained(weights, offset_); }
  /// What a saved state depends on.
  Fingerprint Context() const;

 private:
  double DefaultLambda() const;

  LinearTrainingOptions options_;
  LinearData data_;
  ScaledInputs scaled_;
  LinearModel model_;
  double offset_ = 0;
  LinearProblem problem_;
  double default_lambda_ = 0;
  double largest_l1_ = 0;
};

}  // namespace slackline::internal
