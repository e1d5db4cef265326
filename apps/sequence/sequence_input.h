// SPDX-License-Identifier: BSD-3-Clause
//
// From files to sequences with features: for training, and for a model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/data/sequence_features.h>
#include <slackline/apps/sequence/data/sequence_reader.h>
#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/core/line_reader.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

/// Features that occur fewer times than this in CoNLL data are left out, unless the user says
/// otherwise.
inline constexpr std::int64_t kDefaultMinCount = 3;

struct SequenceReadOptions {
  std::optional<SequenceFormat> format;                  ///< none: found from the first line
  std::string templates;                                 ///< CoNLL: see ReadTemplates; empty: auto
  SequenceFeatureOptions features{kDefaultMinCount, 0};  ///< CoNLL
  std::string folds;                                     ///< letters: see SelectFolds; empty: all
};

/// Sequences with features, and which of them are wanted.
struct SequenceInput {
  SequenceFormat format = SequenceFormat::kLetters;
  SequenceData data;
  std::vector<Index> sequences;              ///< numbers of those in the folds asked for, rising
  std::optional<SequenceFeatures> features;  ///< of CoNLL data for training
  std::int64_t unknown_features = 0;  ///< for a model: features of tokens that it does not know

  /// Tokens of the wanted sequences.
  Offset num_tokens() const;
};

/// Reads training data, "-" from the standard input. Features of CoNLL data are counted over all
/// sequences of the file. Throws DataError.
SequenceInput ReadTrainingSequences(const std::string& path, const SequenceReadOptions& options);

/// Reads data for a model; folds as in SequenceReadOptions. Throws DataError.
SequenceInput ReadSequencesFor(const SequenceModel& model, const std::string& path,
                               const std::string& folds);

/// Makes the rows of features that a model takes from tokens, and scales them; of letters the
/// reader has made them, and they are scaled. All data for a model come through here, once. Returns
/// the number of features that the model does not know. Throws DataError on a value that is too
/// large after scaling.
std::int64_t MakeRowsFor(const SequenceModel& model, SequenceData* data);

/// A reader of data for a model, without features. `lines` must live as long.
std::unique_ptr<SequenceReader> MakeReaderFor(const SequenceModel& model, LineReader* lines);

/// A model without weights for training data. Throws DataError when there are more than
/// kMostSequenceLabels labels, or training with the learner would need more memory than there is
/// (kAuto: without the blocks of al and soft). With constraints also when they do not fit the
/// labels, or the data are letters, or a wanted sequence breaks them (with the line of the first
/// token that does). Labels next to an unknown one break nothing, but the first of a sequence may.
SequenceModel MakeSequenceModel(const SequenceInput& input, LearnerKind learner,
                                LabelConstraints constraints = LabelConstraints::kAny);

/// Costs of labels (LossOptions::costs) from a file, a line `given predicted cost` each, in columns
/// between blanks; `*` as predicted means all others than given. Pairs that no line names cost 1;
/// later lines count. Throws DataError with file, line and token.
std::vector<double> ReadLabelCosts(const std::string& path,
                                   std::span<const std::string> label_names);

}  // namespace slackline::internal
