// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions read a text piece by piece, so that only some examples are in memory.
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// Tells when the examples read so far make a piece: after 1 MiB of text or 1024 examples, or when
/// a new file has begun, where places in the text count from 0 again.
class TextPieces {
 public:
  /// Counts an example. next_begin: the place in the text after it. Returns whether the examples
  /// since the last Begin make a piece.
  bool Add(Offset next_begin) {
    ++examples_;
    return examples_ >= kMostExamples || next_begin < begin_ || next_begin - begin_ >= kTextBytes;
  }
  /// Begins the next piece at a place in the text.
  void Begin(Offset place) {
    begin_ = place;
    examples_ = 0;
  }
  /// The number of examples in this piece so far.
  Index examples() const { return examples_; }

 private:
  static constexpr Offset kTextBytes = Offset{1} << 20;
  static constexpr Index kMostExamples = 1024;

  Offset begin_ = 0;
  Index examples_ = 0;
};

}  // namespace slackline::internal
