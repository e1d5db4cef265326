// SPDX-License-Identifier: BSD-3-Clause
//
// Words of handwritten letters, in the format of Kassel's data as prepared by Taskar, Guestrin and
// Koller (2003): one letter per line, with tabs between the fields:
//   id   letter   next_id   word_id   position   fold   pixel   pixel   …
// next_id is the id of the word's next letter, on the next line, or -1 at the end of the word.
// Positions count from 1. Pixels are 0 or 1, or any numbers where LettersReadOptions allows them,
// the same number of them in every line. A tab after the last pixel and lines without text are
// allowed. `?` as the letter means that the letter is unknown.
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
  /// For prediction: the labels and the number of features of the model.
  std::vector<std::string> label_names;
  Index num_features = -1;
  /// Whether pixels may be any numbers. Must be false where the format is guessed from the first
  /// line, so that a damaged line is found.
  bool any_numbers = false;
};

/// Reads words, plain or compressed with gzip; "-" is the standard input. Feature p of a token is
/// pixel p, stored unless it is 0. Throws DataError with file, line and token on text that violates
/// the format, when the number of pixels is not that of the model, and when a file for training has
/// no words or no known letters.
SequenceData ReadLetters(const std::string& path, const LettersReadOptions& options = {});
/// The same, one word after the other. `lines` must outlive the reader.
std::unique_ptr<SequenceReader> MakeLettersReader(LineReader* lines,
                                                  const LettersReadOptions& options);
/// The same for lines after `first`, or for lines of a part of the data.
std::unique_ptr<SequenceReader> MakeLettersReader(LineReader* lines,
                                                  const LettersReadOptions& options,
                                                  const FirstLine& first);

/// A letter of a word (the last one where the line says so), or nothing where the line is blank.
LineRole RoleOfLetterLine(std::string_view line);

/// Whether a line has the fields of this format: integers where they belong, pixels 0 or 1. In a
/// line of 30 pixels or more, one other field may be wrong: the reader then reports it.
bool LooksLikeLetter(std::string_view line);

}  // namespace slackline::internal
