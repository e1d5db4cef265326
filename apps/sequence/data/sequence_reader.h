// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the sequences of a file one after the other. Reading whole files uses the same readers.
#pragma once

#include <slackline/apps/sequence/data/sequence_data.h>

namespace slackline::internal {

class SequenceReader {
 public:
  virtual ~SequenceReader() = default;

  /// Reads the next sequence and no line beyond it (the blank line after a CoNLL sequence belongs
  /// to it). False at the end of the file. Throws DataError with file, line and token on text that
  /// violates the format, and when the file ends before any sequence.
  virtual bool Next() = 0;

  /// Returns all sequences read since the last Take, as SequenceData describes. Labels keep their
  /// numbers if the reader was given the labels of a model. In training Take must be called only
  /// once, because it sorts labels. Throws DataError when no label is known.
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
