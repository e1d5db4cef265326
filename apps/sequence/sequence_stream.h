// SPDX-License-Identifier: BSD-3-Clause
//
// Reads data for a model, one sequence after the other, each as soon as its last line is there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/data/sequence_reader.h>
#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

class SequenceStream {
 public:
  /// Opens the file ("-": the standard input). The model must outlive this object. `folds`
  /// and `comments`: as for ReadSequencesFor. Throws DataError.
  SequenceStream(const SequenceModel& model, const std::string& path, const std::string& folds,
                 const std::string& comments = {});

  /// Reads the next sequence of the selected folds; false at the end of the file. Throws DataError
  /// as ReadSequencesFor does, but only when it reaches the error.
  bool Next();
  /// The current sequence alone, with features.
  const SequenceData& data() const { return data_; }

  /// Numbers of all sequences and tokens returned by Next so far.
  Offset num_sequences() const { return num_sequences_; }
  Offset num_tokens() const { return num_tokens_; }
  /// The number of unknown features in everything read so far, counted as in ReadSequencesFor.
  std::int64_t unknown_features() const { return unknown_features_; }

 private:
  bool Wanted();

  const SequenceModel& model_;
  LineReader lines_;
  std::unique_ptr<SequenceReader> reader_;
  std::optional<FoldSelection> folds_;
  SequenceData data_;
  Offset num_sequences_ = 0;
  Offset num_tokens_ = 0;
  std::int64_t unknown_features_ = 0;
};

}  // namespace slackline::internal
