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

/// The options of training data and model.
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

  /// folds_option: name of the option for the folds of the data.
  void Register(CLI::App* app, const std::string& folds_option);
  /// Does all checks that need no data. Throws DataError, as the functions below do.
  SequenceReadOptions Read() const;
  LabelConstraints ReadConstraints() const;
  /// The input files.
  std::vector<std::string> inputs() const;
};

/// Training data, the model to train on them, and its loss.
struct SequenceTask {
  SequenceInput input;
  SequenceModel model;
  LossOptions loss;
  ScaledInputs scaled;  ///< its rows replace those of the input
};
/// Reads the training data and makes the model. Throws DataError.
SequenceTask LoadSequenceTask(const SequenceFlags& flags, LearnerKind learner);

/// The training problem on some sequences of the data, with an arbitrary λ. Throws DataError when
/// none of them has a known label.
Problem MakeSequenceProblem(const SequenceTask& task, std::span<const Index> sequences);

/// The training of a task's model on all selected sequences. Flags and task must outlive this
/// object.
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
  TrainOptions trained_;  // of the last training
};

/// Reads data for a model. Unless quiet, prints what the model does not know of them to the
/// standard error. Throws DataError.
SequenceInput LoadSequences(const SequenceModel& model, const std::string& data,
                            const std::string& folds, bool quiet);

/// Prints to the standard error what a model does not know: labels of the data, and this number of
/// features of tokens.
void NoteUnknown(const SequenceData& data, std::int64_t features);

/// Adds the option --folds of commands that predict.
void AddFoldsOption(CLI::App* app, std::string_view name, std::string* folds);

}  // namespace slackline::internal::program
