// SPDX-License-Identifier: BSD-3-Clause
//
// Reads files into sequences with features, for training or for a model.
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
#include <slackline/core/ranks.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

/// By default, features with fewer occurrences than this in CoNLL data are left out. All attributes
/// are kept, as CRFsuite does.
inline constexpr std::int64_t kDefaultMinCount = 3;

struct SequenceReadOptions {
  /// nullopt: letters or CoNLL, determined by the first line.
  std::optional<SequenceFormat> format;
  std::string templates;                                 ///< CoNLL: see ReadTemplates; empty: auto
  SequenceFeatureOptions features{kDefaultMinCount, 0};  ///< CoNLL and attributes
  std::string folds;                                     ///< letters: see SelectFolds; empty: all
  std::string comments;  ///< CoNLL: lines that begin with this text are left out; empty: none
  /// Ranks that read the data together, each its own sequences; null: this process alone. `shards`
  /// P: how the sequences are dealt (DealRecords); 0 = one shard per rank.
  Ranks* ranks = nullptr;
  Index shards = 0;
};

/// Sequences with features, and the selection of some of them.
struct SequenceInput {
  SequenceFormat format = SequenceFormat::kLetters;
  SequenceData data;
  std::vector<Index> sequences;              ///< numbers of those in the selected folds, ascending
  std::optional<SequenceFeatures> features;  ///< of CoNLL data and attributes in training
  /// For a model: the number of features of tokens that the model does not know, over all ranks.
  std::int64_t unknown_features = 0;

  /// Number of tokens of the selected sequences.
  Offset num_tokens() const;
};

/// Reads training data; "-" is the standard input, and a folder has the data in its files part-…
/// (core/data_source.h). Features of CoNLL data and attributes are counted over all sequences of
/// the data. Converted data (converted_sequences.h) are recognised by their first bytes; only
/// folds, ranks and shards of the options count for them. Throws DataError.
/// With several ranks, all must call this function, and each gets its own sequences. Labels,
/// templates, the dictionary and errors are the same on all ranks, as if one rank had read the
/// data. Selecting folds is an error.
SequenceInput ReadTrainingSequences(const std::string& path, const SequenceReadOptions& options);

/// Reads data for a model, also converted ones; folds and comments as in SequenceReadOptions.
/// Throws DataError. With several ranks, all must call this function, and each gets its own
/// sequences (none where there are fewer sequences than ranks). Labels unknown to the model and
/// errors are the same on all ranks, as if one rank had read the data.
SequenceInput ReadSequencesFor(const SequenceModel& model, const std::string& path,
                               const std::string& folds, Ranks& ranks = OneRank(),
                               const std::string& comments = {});

/// Makes the feature rows of tokens for a model and scales them. (The reader makes the rows of
/// letters; they are only scaled.) All data for a model pass through this function exactly once.
/// Returns the number of features that the model does not know. Throws DataError on a value that is
/// too large after scaling.
std::int64_t MakeRowsFor(const SequenceModel& model, SequenceData* data);

/// Makes the rows of tokens for these features, without scaling. Returns the number of features of
/// tokens that the dictionary does not have.
std::int64_t MakeFeatureRows(const SequenceFeatures& features, SequenceData* data);

/// The format of training data. Unless the options name it, reads the first line to find it.
SequenceFormat SequenceFormatOf(const SequenceReadOptions& options, LineReader* lines);
/// A reader of training data, without features. `lines` must outlive the reader. `first`: the first
/// line of the data, where `lines` are a part of them; else null.
std::unique_ptr<SequenceReader> MakeTrainingReader(SequenceFormat format,
                                                   const SequenceReadOptions& options,
                                                   LineReader* lines,
                                                   const FirstLine* first = nullptr);

/// Data whose labels and features are known.
struct KnownSequences {
  SequenceFormat format = SequenceFormat::kLetters;
  const std::vector<std::string>& label_names;
  Index columns = 0;          ///< CoNLL: of the templates; letters: pixels
  std::string comments = {};  ///< as in SequenceReadOptions
};
/// A reader of such data, without features. `lines` must outlive the reader; `first` as for
/// MakeReaderFor.
std::unique_ptr<SequenceReader> MakeReaderOf(const KnownSequences& known, LineReader* lines,
                                             const FirstLine* first = nullptr);

/// A reader of data for a model, without features. `lines` must outlive the reader. `first`: the
/// first line of the data, where `lines` are a part of them; else null.
std::unique_ptr<SequenceReader> MakeReaderFor(const SequenceModel& model, LineReader* lines,
                                              const FirstLine* first = nullptr,
                                              const std::string& comments = {});

/// A label that the rules of IOB2 do not allow.
struct BioViolation {
  Index sequence = 0;
  Index position = 0;  ///< of the token in its sequence
  std::string text;    ///< "'I-X' to begin a sequence", "'I-X' after 'O'"
};
/// The first violation in these sequences; nullopt without one. A label after an unknown one cannot
/// violate the rules; the first label of a sequence can. Requires labels of chunks (WhyNotBio).
std::optional<BioViolation> FindBioViolation(const SequenceData& data,
                                             std::span<const Index> sequences);

/// A model for training data with all weights zero. Throws DataError when there are more than
/// kMostSequenceLabels labels, or training with the learner needs more memory than there is (kAuto:
/// without the blocks of al and soft). With constraints, also throws DataError when they do not fit
/// the labels, or a selected sequence violates them (with the line of the first such token). A
/// label after an unknown one cannot violate constraints; the first label of a sequence can. With
/// several ranks, all must call it, each with its own sequences; a DataError on one rank is thrown
/// on all.
SequenceModel MakeSequenceModel(const SequenceInput& input, LearnerKind learner,
                                LabelConstraints constraints = LabelConstraints::kAny,
                                Ranks& ranks = OneRank());

/// Costs of labels (LossOptions::costs) from a file, with one line `given predicted cost` per pair
/// and blanks between the fields. `*` as predicted stands for all labels other than given; a pair's
/// own line overrides it. Pairs without a line cost 1. Throws DataError with file, line and token,
/// also on a repeated pair.
std::vector<double> ReadLabelCosts(const std::string& path,
                                   std::span<const std::string> label_names);

}  // namespace slackline::internal
