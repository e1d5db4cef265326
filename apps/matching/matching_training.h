// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a matching model on data in memory.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <slackline/apps/matching/matching_model.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/core/loss.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct MatchingTask {
  MatchingData data;
  MatchingModel model;
  ScaledInputs scaled;     ///< its rows replace those of the data
  Ranks* ranks = nullptr;  ///< as given to MakeMatchingTask
};
/// Makes the model for the data, whose features have the names of the dictionary, and scales the
/// features. Throws what MatchingModel and ScaleForTraining throw. ranks: the processes that train
/// together, each with its own examples (ExactRanks of the training options), which all call it;
/// null: this process alone.
MatchingTask MakeMatchingTask(MatchingData data, FeatureDictionary dictionary,
                              MatchingCapacities capacities, MatchingCosts costs,
                              std::optional<ScaleKind> scale, Ranks* ranks = nullptr);

/// The training of a model on all the data.
class MatchingTraining final : public TrainTask {
 public:
  /// The task must outlive this object. `texts` without the name of the data. Throws DataError when
  /// no edge has a known label, with several ranks when some example has no such edge.
  MatchingTraining(MatchingTask* task, LossScale loss, RecordTexts texts);

  const MatchingTask& task() const { return task_; }
  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "edge"; }
  std::vector<std::string> Warnings() const override { return task_.scaled.warnings; }
  Fingerprint Context() const override;
  TrainingRecord* record() override { return &task_.model.record; }
  void SetWeights(const TrainOptions& options, const std::vector<double>& weights) override;
  void Save(const std::string& path) const override { task_.model.Save(path); }

 private:
  MatchingTask& task_;
  Problem problem_;
};

}  // namespace slackline::internal
