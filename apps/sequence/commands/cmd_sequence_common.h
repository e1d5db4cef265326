// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands of sequences share. Part of the program only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/apps/sequence/sequence_training.h>

namespace slackline::internal::program {

/// The options of training data and model.
struct SequenceFlags {
  std::string data;
  std::string format;
  std::string folds;
  std::string comments;
  std::string templates;
  std::string min_count;
  std::string hash_bits;
  std::string loss = "mean";
  std::string costs;
  std::string constraints = "none";
  ScaleFlag scale;

  /// The options that say how text is read, but not its folds.
  void RegisterReading(Command* app);
  /// folds_option: the name of the option that selects folds of the data.
  void Register(Command* app, const std::string& folds_option);
  /// Does all checks that need no data. Throws DataError, as the functions below do.
  SequenceReadOptions Read() const;
  LabelConstraints ReadConstraints() const;
  /// What the record of a model of these data says about the flags.
  RecordTexts Texts(const SequenceInput& input) const;
  /// The input files.
  std::vector<std::string> inputs() const;
};

/// Throws DataError on options that do not apply to data of this format.
void CheckFormat(const SequenceFlags& flags, SequenceFormat format);

/// Reads the training data (with several ranks, this rank's part) and makes the model. Throws
/// DataError.
SequenceTask LoadSequenceTask(const SequenceFlags& flags, const TrainOptions& train);

/// Which sequences of which file a model is to label.
struct SequenceDataFlags {
  std::string data;
  std::string folds;
  std::string comments;

  /// what: what the argument DATA is, for the help.
  void Register(Command* app, std::string_view what);
};

/// Adds the option --comments of commands that read columns.
void AddCommentsOption(Command* app, std::string* comments);

/// Reads data for a model (with several ranks, this rank's part). Unless quiet, prints to the
/// standard error what the model does not know of the data. Throws DataError.
SequenceInput LoadSequences(const SequenceModel& model, const SequenceDataFlags& flags, bool quiet);

/// What form the data have, if it is unusual: CoNLL-U, or sequences that begin with what looks like
/// a comment.
std::vector<std::string> FormNotes(const SequenceData& data);

/// Prints to the standard error what a model does not know: labels of the data, and `features`
/// features of tokens.
void NoteUnknown(const SequenceData& data, std::int64_t features);

}  // namespace slackline::internal::program
