// SPDX-License-Identifier: BSD-3-Clause
//
// The declarations at the top of an ARFF file, and a scanner for the values and names in its lines.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <slackline/core/line_reader.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Splits a line of ARFF into tokens. An unquoted % at the beginning of a token starts a comment.
class ArffScanner {
 public:
  explicit ArffScanner(std::string_view text) : text_(text) {}

  /// Skips blanks. Returns true when at most a comment is left.
  bool AtEnd();
  /// The next character; requires !AtEnd().
  char Peek() const { return text_[position_]; }
  void Skip() { ++position_; }
  /// Skips blanks, and the character c if it comes next. Returns whether c was there.
  bool Accept(char c);

  struct Token {
    std::string_view
        text;  ///< Without quotes and with escapes resolved; valid until the next token.
    bool quoted = false;
    bool closed = true;  ///< false: the closing quote is missing
  };
  /// The next token: in quotes (' or ", escapes with \), or up to a blank or one of `stops`.
  Token Next(std::string_view stops);
  /// The rest of the line.
  std::string_view Rest() const { return text_.substr(position_); }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::string unescaped_;
};

struct ArffAttribute {
  std::string name;
  long line = 0;
  bool nominal = false;
  std::string other_type = {};      ///< string, date or relational: only to be left out
  std::vector<std::string> values;  ///< nominal: in the order of declaration

  /// Whether the declarations say the same, wherever they stand.
  bool SameAs(const ArffAttribute& other) const {
    return name == other.name && nominal == other.nominal && other_type == other.other_type &&
           values == other.values;
  }
};

struct ArffHeader {
  std::string file;
  /// "-C N" in the relation, as MEKA writes it: the first N attributes are labels, or the last −N
  /// where N < 0; 0 without it.
  Index relation_labels = 0;
  std::vector<ArffAttribute> attributes;
  std::unordered_map<std::string, Index> by_name;
};

/// Reads the declarations from `line` (just taken from `reader`) to @data. Keywords and types may
/// be in any case. Types: numeric, real, integer (a range in brackets after them is ignored),
/// nominal {a,b,…}, and string, date and relational, whose values only have a length. Throws
/// DataError on other types, unknown declarations, repeated names or nominal values, and when @data
/// is missing.
ArffHeader ReadArffHeader(LineReader* reader, std::string_view line);

/// Throws DataError, at a line of `other`, unless both declare the same attributes in the same
/// order.
void CheckSameHeader(const ArffHeader& header, const ArffHeader& other);

}  // namespace slackline::internal
