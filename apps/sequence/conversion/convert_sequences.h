// SPDX-License-Identifier: BSD-3-Clause
//
// Converts sequences in text to a file that training maps (converted_sequences.h). The program
// reads the text several times, from a file or a folder: for the labels and the feature templates,
// for the dictionary, and for the rows. The text may be larger than the memory: only labels, the
// different features and words, and some megabytes are kept. Then scales are learned from the file,
// and its rows are scaled in place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <slackline/apps/converted/converted_writer.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal {

struct SequenceConversionOptions {
  /// For training, on one rank. All folds are converted.
  SequenceReadOptions read;
  /// For predictions of this model, with its labels, features and scaling. `read` then does not
  /// count, and the text is read once, also from the standard input.
  const SequenceModel* model = nullptr;
  std::optional<ScaleKind> scale;  ///< for training; nullopt: auto
  WindowChoice windows;
  /// For training; called with the format of the text before the conversion; may throw.
  std::function<void(SequenceFormat)> check_format = [](SequenceFormat) {};
  ConversionProgress progress = [](std::string_view, Index) {};
};

struct SequenceConversion {
  /// Describes the data, but has no sequences; data.converted says how they were scaled.
  SequenceInput about;
  Index num_sequences = 0;
  Offset num_tokens = 0;
  std::uint64_t bytes = 0;  ///< of the sequences
  Index num_files = 1;
};

/// Converts the data at `path` to the target, which appears complete or not at all. If the rows are
/// in one window and the scales are learned without shards, training on it gives the model of
/// training on the text, bit for bit, with the same options. Throws DataError as
/// ReadTrainingSequences and ReadSequencesFor do, when the text changes between two readings, and
/// when the disk refuses.
SequenceConversion ConvertSequences(const std::string& path, const ConvertedTarget& target,
                                    const SequenceConversionOptions& options);

}  // namespace slackline::internal
