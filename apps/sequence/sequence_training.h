// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a chain model on data in memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/core/loss.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct SequenceTrainingOptions {
  LearnerKind learner = LearnerKind::kAuto;
  LabelConstraints constraints = LabelConstraints::kAny;
  std::optional<ScaleKind> scale;  ///< nullopt: auto
  LossScale loss = LossScale::kMean;
  /// The processes that train together, each with its own sequences (ExactRanks of the training
  /// options); null: this process alone.
  Ranks* ranks = nullptr;
};

/// Training data, the model to train on them, and its loss.
struct SequenceTask {
  SequenceInput input;
  SequenceModel model;
  LossOptions loss;
  ScaledInputs scaled;             ///< its rows replace those of the input
  Ranks* ranks = nullptr;          ///< as in the options
  std::vector<std::string> lines;  ///< how text was read, for descriptions
};
/// Makes the model for the data and scales their features. Throws DataError when the learner cannot
/// train with the constraints, and what MakeSequenceModel and ScaleForTraining throw. With several
/// ranks, all of them must call it; they get equal models, or the same DataError.
SequenceTask MakeSequenceTask(SequenceInput input, const SequenceTrainingOptions& options);
/// Throws DataError when the learner cannot train with the constraints.
void CheckConstraints(LabelConstraints constraints, LearnerKind learner);

/// The training problem on some sequences of the data, with an arbitrary λ. Throws DataError when
/// no sequence has a known label; with several ranks, when any has none (RequireExamples).
Problem MakeSequenceProblem(const SequenceTask& task, std::span<const Index> sequences);

/// Counts of the data of all ranks, for descriptions.
struct SequenceTotals {
  Index sequences = 0;           ///< the selected ones
  Offset tokens = 0;             ///< of the selected sequences
  Offset unlabelled_tokens = 0;  ///< of sequences with a known label
};

/// The training of a task's model on all selected sequences.
class SequenceTraining final : public ProblemTask {
 public:
  /// The task must outlive this object. `texts` without the name of the data.
  SequenceTraining(SequenceTask* task, RecordTexts texts);

  const SequenceTask& task() const { return task_; }
  const SequenceTotals& totals() const { return totals_; }
  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "token"; }
  std::vector<std::string> DataLines() const override;
  std::string ModelText() const override;
  TaskEntries StartEntries() const override;
  std::vector<std::string> Warnings() const override { return task_.scaled.warnings; }
  Fingerprint Context() const override;
  TrainingRecord* record() override { return &task_.model.record; }
  void SetWeights(const TrainOptions& options, const std::vector<double>& weights) override {
    task_.model.SetTrained(problem_, options, weights);
  }
  void Save(const std::string& path) const override { task_.model.Save(path); }

 private:
  SequenceTask& task_;
  Problem problem_;
  SequenceTotals totals_;
};

}  // namespace slackline::internal
