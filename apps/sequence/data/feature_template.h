// SPDX-License-Identifier: BSD-3-Clause
//
// Templates that make features from the columns of tokens, one template per line:
//   # the word before and this one, and what this one ends with
//   U05: %x[-1,0]/%x[0,0]
//   U30: %suf[0,0,3]
// Every token has the feature "NAME:text" for each template; text is the template with its macros
// replaced. Rows count from the token (-1 is the previous one), columns from 0, without the labels.
//   %x[row,column]       the text
//   %low[row,column]     the text, ASCII letters in lower case
//   %shape[row,column]   kinds of characters, with runs of one kind as one: X and x for capital and
//                        small ASCII letters, d for digits, * for all beyond ASCII; others stand
//                        for themselves ("McDonald-3" is XxXx-d)
//   %pre[row,column,n]   the first n characters (of UTF-8), or all where there are fewer
//   %suf[row,column,n]   the last n characters
//   %t[row,column,"re"]  true or false: whether the regular expression
//                        (apps/sequence/data/token_pattern.h) matches a part of the text
//   %m[row,column,"re"]  the part that it matches, empty if there is none
// %X is the same as %low and %T as %t; %M is %m with ASCII letters in lower case. In "re" a quote
// is \". Before the first token every macro gives _B-1, _B-2, …, after the last _B+1, _B+2, … (the
// nearest is 1).
//
// The name of a template is the text before the first colon, without blanks; names are unique. A
// line `B` means the transitions between neighbouring labels, which every model has. Other
// templates named B, B0, B01, … are rejected, because programs for CRFs read them as features of
// pairs of labels. Lines that begin with # and lines without text are comments.
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
  /// and token on text that violates the format, columns that the data do not have, rows beyond
  /// ±1000, templates without a macro (a constant, which models have anyway), repeated names, and
  /// files without templates.
  static FeatureTemplates Read(const std::string& path, Index num_columns);
  /// The same for a text; `source` is for messages.
  static FeatureTemplates Parse(std::string_view text, const std::string& source,
                                Index num_columns);

  Index size() const { return static_cast<Index>(templates_.size()); }
  /// The number of columns given to Parse.
  Index num_columns() const { return num_columns_; }
  /// The text from which Parse makes these templates, without comments.
  const std::string& text() const { return text_; }
  /// Sets *feature to the feature of template i < size() for a token of the sequence [begin, end).
  /// The table has at least num_columns() columns.
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
