// SPDX-License-Identifier: BSD-3-Clause
//
// The column format of the CoNLL tasks: one token per line, columns between tabs, or between any
// number of blanks (apps/common/token_lines.h, which also recognises CoNLL-U), and lines without
// text between sequences. Several such lines in a row are one separator; there are no empty
// sequences. The last column is the label; `?`, or nothing between tabs, means that it is unknown.
// Nothing else is special: `-DOCSTART-` lines are tokens, and in files other than CoNLL-U so are
// lines that begin with #; bytes are not interpreted.
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
  /// For prediction: the labels of the model, and the number of its columns without labels. The
  /// file then has this number of columns and no labels, or one column more.
  std::vector<std::string> label_names;
  Index num_columns = -1;
  std::string comments = {};  ///< lines that begin with this text are left out; empty: none
};

/// Reads sequences, plain or compressed with gzip; "-" is the standard input. Rows stay null.
/// Linear in the text; each distinct text is stored once, and a cell takes 4 bytes. Throws
/// DataError with file, line and token when lines differ in their number of columns or do not have
/// that of the model, and when a file has no tokens or, in training, only one column or no known
/// labels.
SequenceData ReadConll(const std::string& path, const ConllReadOptions& options = {});
/// The same, one sequence after the other. `lines` must outlive the reader.
std::unique_ptr<SequenceReader> MakeConllReader(LineReader* lines, const ConllReadOptions& options);
/// The same for lines after `first`, or for lines of a part of the data.
std::unique_ptr<SequenceReader> MakeConllReader(LineReader* lines, const ConllReadOptions& options,
                                                const FirstLine& first);

}  // namespace slackline::internal
