// SPDX-License-Identifier: BSD-3-Clause
//
// Converted sequences (apps/converted/converted_reader.h): a row for every token. Its label bytes
// are a TokenLabel; in data for a model the token's columns follow, with line ends between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <slackline/apps/converted/converted_writer.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal {

/// The entry "task" of the directory.
inline constexpr std::string_view kConvertedSequences = "converted sequence";

/// What the file says about a token.
struct TokenLabel {
  std::int32_t label = kUnlabelled;
  std::int32_t fold = -1;  ///< ≥ 0: a sequence of this fold begins (0 without folds)

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(this), sizeof(TokenLabel)};
  }
};
static_assert(sizeof(TokenLabel) == 8);

/// Training data, or with `model` data for that model. All sequences are selected. Lines are
/// numbers of tokens in their file, from 1. Ranks and shards as in SequenceReadOptions. Throws
/// DataError when the file is damaged, or was converted for another model with other features or
/// scales.
SequenceInput ReadConvertedSequences(const std::string& path, const SequenceReadOptions& options,
                                     const SequenceModel* model = nullptr);

/// The label bytes of rows: with or without the columns of tokens.
constexpr Index SequenceLabelBytes(bool columns) {
  return columns ? kLabelsVary : Index{sizeof(TokenLabel)};
}
/// Appends the columns of a token, as they follow its TokenLabel.
void AppendColumns(const TokenTable& tokens, Offset token, std::string* bytes);

/// Ends the writing of sequences. `about`: the format, the features, the unknown features, and the
/// data without their sequences; needs data.converted. data.tokens: the columns of some of the
/// sequences where rows have the columns of their tokens, else null.
void FinishConverted(const SequenceInput& about, bool has_folds, WindowChoice windows,
                     ConvertedWriter* writer);

}  // namespace slackline::internal
