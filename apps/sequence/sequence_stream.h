// SPDX-License-Identifier: BSD-3-Clause
//
// Data for a model, one sequence after the other, each as soon as its last line is there.
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
  /// Opens the file, "-" for the standard input; the model must live as long. folds: as for
  /// ReadSequencesFor. Throws DataError.
  SequenceStream(const SequenceModel& model, const std::string& path, const std::string& folds);

  /// Reads the next sequence of the wanted folds; false at the end of the file. Throws DataError as
  /// ReadSequencesFor does, but only when what is wrong has been read.
  bool Next();
  /// The sequence, as the only one, with features.
  const SequenceData& data() const { return data_; }

  /// Of all that Next has given.
  Offset num_sequences() const { return num_sequences_; }
  Offset num_tokens() const { return num_tokens_; }
  /// Of all that was read, as ReadSequencesFor counts them.
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
