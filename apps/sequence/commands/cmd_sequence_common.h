// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands of sequences share. Part of the program only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/training/cmd_scale.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal::program {

/// What is trained on, and what model.
struct SequenceFlags {
  std::string data;
  std::string format;
  std::string folds;
  std::string templates;
  std::string min_count;
  std::string hash_bits;
  std::string loss = "mean";
  std::string costs;
  std::string constraints = "none";
  ScaleFlag scale;

  /// folds_option: the name of the option for folds of the data.
  void Register(CLI::App* app, const std::string& folds_option);
  /// All checks that need no data. Throws DataError, as the others do.
  SequenceReadOptions Read() const;
  LabelConstraints ReadConstraints() const;
  /// The files that are read.
  std::vector<std::string> inputs() const;
};

/// Training data, the model to be trained on them, and its loss.
struct SequenceTask {
  SequenceInput input;
  SequenceModel model;
  LossOptions loss;
  ScaledInputs scaled;  ///< its rows are those of the input
};
/// Throws DataError.
SequenceTask LoadSequenceTask(const SequenceFlags& flags, LearnerKind learner);

/// Some sequences of the data as a problem, with any λ. Throws DataError when none of them has a
/// known label.
Problem MakeSequenceProblem(const SequenceTask& task, std::span<const Index> sequences);

/// The model of a task, to be trained on all wanted sequences. flags and task must live as long.
class SequenceSession : public SessionTask {
 public:
  SequenceSession(const SequenceFlags& flags, SequenceTask* task);

  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "token"; }
  std::vector<std::string> Warnings() const override { return task_.scaled.warnings; }
  Fingerprint Context() const override;
  void Describe(const LearnerChoice& choice, const std::string& lambda) const override;
  TrainingRecord* record() override { return &task_.model.record; }
  Json Begin(const Problem& problem, const LearnerChoice& choice) override;
  void Save(const TrainSummary& summary, const std::string& path) override;

 private:
  const SequenceFlags& flags_;
  SequenceTask& task_;
  Problem problem_;
  TrainOptions trained_;  // of the newest training
};

/// Reads data for a model, and says on the standard error, unless quiet, what of them the model
/// does not know. Throws DataError.
SequenceInput LoadSequences(const SequenceModel& model, const std::string& data,
                            const std::string& folds, bool quiet);

/// Says on the standard error what a model does not know: labels of the data, and so many features
/// of tokens.
void NoteUnknown(const SequenceData& data, std::int64_t features);

/// Adds --folds of commands that predict.
void AddFoldsOption(CLI::App* app, std::string_view name, std::string* folds);

}  // namespace slackline::internal::program
