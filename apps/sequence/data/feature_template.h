// SPDX-License-Identifier: BSD-3-Clause
//
// Templates that make features of the columns of tokens, a template a line:
//   # the word before and this one, and what this one ends with
//   U05: %x[-1,0]/%x[0,0]
//   U30: %suf[0,0,3]
// Every token has the feature "NAME:text" for each template, with texts of the sequence for macros.
// Rows count from the token (-1 is the one before), columns from 0; the labels have none.
//   %x[row,column]       the text
//   %low[row,column]     the text, ASCII letters in lower case
//   %shape[row,column]   kinds of characters, a run of one kind as one: X and x for ASCII capitals
//                        and small letters, d for digits, * for all beyond ASCII; others stand for
//                        themselves ("McDonald-3" is XxXx-d)
//   %pre[row,column,n]   the first n characters (of UTF-8), or all where there are fewer
//   %suf[row,column,n]   the last n characters
//   %t[row,column,"re"]  true or false: whether the regular expression
//                        (apps/sequence/data/token_pattern.h) matches a part of the text
//   %m[row,column,"re"]  the part that it matches, nothing where there is none
// %X is the same as %low and %T as %t; %M is %m with ASCII letters in lower case. In "re" a quote
// is \". Before the first token every macro gives _B-1, _B-2, …, after the last _B+1, _B+2, … (the
// nearest is 1).
//
// Names are what stands before the first colon, without blanks; no two templates have the same. A
// line `B` means the transitions between neighbouring labels: a model has them anyway. Names B, B0,
// B01, … are refused else, since programs for CRFs take them for features of pairs of labels. Lines
// that begin with # and lines without text are comments.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/data/token_pattern.h>

namespace slackline::internal {

class FeatureTemplates {
 public:
  /// Reads a file of templates for data with num_columns columns. Throws DataError with file, line
  /// and token on text that does not follow the format, columns that the data do not have, rows
  /// beyond ±1000, templates without a macro (a constant: models have one), names used twice, and
  /// files without templates.
  static FeatureTemplates Read(const std::string& path, Index num_columns);
  /// The same from a text; `source` is for messages.
  static FeatureTemplates Parse(std::string_view text, const std::string& source,
                                Index num_columns);

  Index size() const { return static_cast<Index>(templates_.size()); }
  /// The columns that Parse was told of.
  Index num_columns() const { return num_columns_; }
  /// The text that Parse makes the same templates of; without comments.
  const std::string& text() const { return text_; }
  /// Sets *feature to the feature of a token of the sequence [begin, end), by template number i <
  /// size(). The table has at least num_columns() columns.
  void Expand(Index i, const TokenTable& tokens, Offset begin, Offset end, Offset token,
              std::string* feature) const;

 private:
  enum class Kind { kText, kWord, kLow, kShape, kPrefix, kSuffix, kTest, kMatch, kMatchLow };
  struct Piece {
    Kind kind = Kind::kText;
    Index row = 0;
    Index column = 0;
    Index length = 0;
    std::string text;
    std::shared_ptr<const TokenPattern> pattern;
  };
  class Parser;
  static void Append(const Piece& piece, std::string_view word, std::string* feature);

  std::vector<std::vector<Piece>> templates_;
  std::string text_;
  Index num_columns_ = 0;
};

}  // namespace slackline::internal
