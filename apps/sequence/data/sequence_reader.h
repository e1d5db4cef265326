// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the sequences of a file one after the other. Reading whole files uses the same readers.
#pragma once

#include <string>
#include <string_view>

#include <slackline/apps/common/token_lines.h>
#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// The first line of the data with text. All lines must have its form, also those that other ranks
/// read.
struct FirstLine {
  std::string text;
  long number = 0;
  std::string file;
  TokenLines lines;  ///< of CoNLL columns: their form, decided
};

class SequenceReader {
 public:
  virtual ~SequenceReader() = default;

  /// Reads the next sequence and no line beyond it (a CoNLL sequence includes the blank line after
  /// it). False at the end of the file. Throws DataError with file, line and token on text that
  /// violates the format, and when the file ends before any sequence.
  virtual bool Next() = 0;
  /// Takes a line that was read before, as Next takes lines; returns whether it ends a sequence.
  virtual bool ParseLine(std::string_view line) = 0;

  /// Returns all sequences read since the last Take, as SequenceData describes. With the labels of
  /// a model, labels keep their numbers. In training every Take sorts the labels known so far anew.
  /// Throws DataError when no label is known.
  virtual SequenceData Take() = 0;

  /// Whether a label is known, so that Take does not throw.
  virtual bool knows_labels() const = 0;

  /// Where several ranks have read sequences, all ranks must call it before Take. They get the same
  /// labels with the numbers that one rank would have given.
  virtual void Agree(Ranks& ranks) = 0;

 protected:
  SequenceReader() = default;
  SequenceReader(const SequenceReader&) = default;
  SequenceReader& operator=(const SequenceReader&) = default;
};

/// All sequences of a reader.
inline SequenceData ReadAllSequences(SequenceReader* reader) {
  while (reader->Next()) {
  }
  return reader->Take();
}

}  // namespace slackline::internal
