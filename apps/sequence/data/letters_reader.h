// SPDX-License-Identifier: BSD-3-Clause
//
// Words of handwritten letters, in the format of Kassel's data as prepared by Taskar, Guestrin and
// Koller (2003): a letter a line, with tabs between
//   id   letter   next_id   word_id   position   fold   pixel   pixel   …
// next_id is the id of the word's next letter, on the next line, or -1 at the end of the word.
// Positions count from 1. Pixels are 0 or 1, as many in every line; a tab after the last is
// allowed, and so are lines without any text. `?` as the letter means that it is not known.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/data/sequence_reader.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

struct LettersReadOptions {
  /// For prediction: labels and number of features of the model.
  std::vector<std::string> label_names;
  Index num_features = -1;
};

/// Reads words, plain or gzip, "-" from the standard input; feature p of a token is pixel p, where
/// that is 1. Throws DataError with file, line and token on any text that does not follow the
/// format, when the number of pixels is not the model's, and when a file for training has no words
/// or no known letters.
SequenceData ReadLetters(const std::string& path, const LettersReadOptions& options = {});
/// The same, from a line that was already read on.
SequenceData ReadLetters(LineReader* reader, std::string_view line,
                         const LettersReadOptions& options = {});
/// The same, one word after the other. `lines` must live as long.
std::unique_ptr<SequenceReader> MakeLettersReader(LineReader* lines,
                                                  const LettersReadOptions& options);

/// Whether a line has the fields of this format: whole numbers where these belong, pixels 0 or 1.
/// With 30 pixels or more one other field may be wrong: that is for the reader to tell.
bool LooksLikeLetter(std::string_view line);

}  // namespace slackline::internal
