// SPDX-License-Identifier: BSD-3-Clause
//
// Sequences of a file one after the other. The readers of whole files are made of the same.
#pragma once

#include <slackline/apps/sequence/data/sequence_data.h>

namespace slackline::internal {

class SequenceReader {
 public:
  virtual ~SequenceReader() = default;

  /// Reads one more sequence, and no line beyond those that belong to it (the blank line behind a
  /// sequence of CoNLL does). False at the end of the file. Throws DataError with file, line and
  /// token on text that does not follow the format, and when the file ends before any sequence.
  virtual bool Next() = 0;

  /// Hands out all sequences read since the last Take, as SequenceData has them. Labels keep their
  /// numbers where the reader was told the labels of a model; in training only one Take makes
  /// sense, since labels are sorted then. Throws DataError when no label is known.
  virtual SequenceData Take() = 0;

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
