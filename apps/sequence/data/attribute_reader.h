// SPDX-License-Identifier: BSD-3-Clause
//
// The data format of CRFsuite: one token per line, which is its label and its attributes, with tabs
// between:
//   B-NP   w[0]=the   w[1]=cat   BOS   length:3   w[0]\:suffix=he
// An attribute is a feature by name, optionally with a colon and its value (default 1). In names,
// \: is a colon and \\ a backslash. Lines without text separate sequences, as in the CoNLL format.
// An empty label, or `?`, is unknown. Attributes with the value 0 are left out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/data/sequence_reader.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

/// Reads sequences, plain or compressed with gzip; "-" is the standard input. Rows stay null.
/// label_names: those of the model; empty in training. Throws DataError with file, line and token
/// when a value is not a number, on labels with blanks (as when columns of CoNLL data are read), on
/// weights of sequences (@weight), and when a file has no tokens or, in training, no known labels.
SequenceData ReadAttributes(const std::string& path,
                            const std::vector<std::string>& label_names = {});
/// The same, one sequence after the other. `lines` must outlive the reader.
std::unique_ptr<SequenceReader> MakeAttributeReader(LineReader* lines,
                                                    const std::vector<std::string>& label_names);

}  // namespace slackline::internal
