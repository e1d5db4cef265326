// SPDX-License-Identifier: BSD-3-Clause
//
// Columns of the CoNLL tasks: a token a line, columns separated by blanks or tabs (any number of
// them), lines without text between sequences. Several such lines in a row are one separator; there
// are no empty sequences. The last column is the label; `?` there means that it is not known.
// Nothing else has a meaning: `-DOCSTART-` lines are tokens, # is text, and bytes are not looked
// into.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/data/sequence_reader.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

struct ConllReadOptions {
  /// For prediction: the labels of the model, and its columns without that of the labels. A file
  /// may then have that many columns, and no labels, or one more.
  std::vector<std::string> label_names;
  Index num_columns = -1;
};

/// Reads sequences, plain or gzip, "-" from the standard input; rows stay null. Linear in the text;
/// texts are kept once, and a cell takes 4 bytes. Throws DataError with file, line and token when
/// lines have different numbers of columns, or not those of the model, and when a file has no
/// tokens or, in training, a single column or no known labels.
SequenceData ReadConll(const std::string& path, const ConllReadOptions& options = {});
/// The same, from a line that was already read on.
SequenceData ReadConll(LineReader* reader, std::string_view line,
                       const ConllReadOptions& options = {});
/// The same, one sequence after the other. `lines` must live as long.
std::unique_ptr<SequenceReader> MakeConllReader(LineReader* lines, const ConllReadOptions& options);

}  // namespace slackline::internal
