// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a model of classes on data in memory:
//   λ/2 ‖w‖² + (1/M) Σ_m a_m max_y [Δ(y_m, y) + w·φ(x_m, y) − w·φ(x_m, y_m)]
// with a weight a_m ≥ 0 of each example, by default 1. Features are linear in x, so a_m multiplies
// the example's input (with its constant) and its losses, and training solves an ordinary problem.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multiclass/multiclass_data.h>
#include <slackline/apps/multiclass/multiclass_model.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/core/ranks.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct MulticlassTrainingOptions {
  bool constant = true;
  bool kernelized = false;
  std::optional<ScaleKind> scale;  ///< nullopt: auto
  /// K × K by rows, the costs of [true class, predicted class]; empty: 1 for every error.
  std::vector<double> costs;
  RecordTexts texts;  ///< without the name of the data
  /// The processes that train together, each with its own examples (ExactRanks of the training
  /// options); null: this process alone. All have the same classes and features.
  Ranks* ranks = nullptr;
};

/// The inputs of the data, scaled. Throws what ScaleForTraining throws.
ScaledInputs ScaleClasses(const MulticlassData& data, const MulticlassTrainingOptions& options);
/// A model for these data and this scaling of their features, with all weights zero. Throws what
/// MulticlassModel throws.
MulticlassModel MakeMulticlassModel(const MulticlassData& data, const FeatureScaling& scaling,
                                    const MulticlassTrainingOptions& options);

class MulticlassTraining final : public TrainTask {
 public:
  /// scaled: ScaleClasses of the data, whose own rows are not used. Throws what MulticlassModel and
  /// MakeDataset throw, and std::invalid_argument on weights that do not fit. With several ranks,
  /// all must call it; throws DataError on all of them when a rank has no examples or some without
  /// a class, and with a kernel.
  MulticlassTraining(const MulticlassData& data, ScaledInputs scaled,
                     const MulticlassTrainingOptions& options);
  /// Scales the data.
  MulticlassTraining(const MulticlassData& data, const MulticlassTrainingOptions& options)
      : MulticlassTraining(data, ScaleClasses(data, options), options) {}

  const MulticlassModel& model() const { return model_; }
  const ScaledInputs& scaled() const { return scaled_; }
  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "example"; }
  std::vector<std::string> DataLines() const override;
  std::string ModelText() const override;
  TaskEntries StartEntries() const override;
  std::vector<std::string> Warnings() const override { return scaled_.warnings; }
  Fingerprint Context() const override;
  TrainingRecord* record() override { return &model_.record; }
  void SetWeights(const TrainOptions& options, const std::vector<double>& weights) override {
    model_.SetTrained(problem_, options, weights);
  }
  void Save(const std::string& path) const override { model_.Save(path); }

 private:
  ScaledInputs scaled_;
  const std::vector<std::string> notes_;
  const Index num_unknown_;  // examples of this rank without a known class
  Ranks& ranks_;
  MulticlassModel model_;
  Problem problem_;
};

}  // namespace slackline::internal
