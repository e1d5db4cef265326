// SPDX-License-Identifier: BSD-3-Clause
//
// Text files with one token per line, in columns, and blank lines between sequences: which lines
// are tokens, and what their columns are. Knows no task.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/record_deal.h>

namespace slackline::internal {

/// A token of a sequence, or the end of one where the line is blank.
LineRole RoleOfTokenLine(std::string_view line);

/// The form of a file, decided by its first lines:
///   CoNLL-U  the first line that does not begin with # has ten columns between tabs, of which the
///            first is a number, a range (1-2) or a decimal number (5.1). Columns are then the word
///            (FORM) and its part of speech (UPOS, "?" for _); lines that begin with #, ranges and
///            empty nodes are left out.
///   tabs     that line has a tab: columns lie between tabs; they may be empty and have blanks.
///   blanks   else: columns lie between blanks.
/// Lines that begin with `comments` are left out in every form.
class TokenLines {
 public:
  explicit TokenLines(std::string comments = {}) : comments_(std::move(comments)) {}

  /// Takes the first lines, one after the other, until it returns true: then the form is decided.
  /// The end of the data decides, as a blank line does.
  bool Decide(std::string_view line);
  bool decided() const { return form_ != Form::kUndecided; }
  bool conllu() const { return form_ == Form::kConllu; }

  /// kNothing for lines that are left out. Before the form is decided, a line with # is a token.
  LineRole RoleOf(std::string_view line) const;
  /// Replaces *columns by the columns of a token, as views of the line. False for a line of CoNLL-U
  /// without ten columns; *columns then has the columns of the line as they are.
  bool Split(std::string_view line, std::vector<std::string_view>* columns) const;
  /// Whether columns lie between tabs.
  bool tabs() const { return form_ == Form::kTabs || conllu(); }
  /// The first separator of a line: a tab or a blank.
  char SeparatorOf(std::string_view line) const;

 private:
  enum class Form { kUndecided, kBlanks, kTabs, kConllu };

  std::string comments_;
  Form form_ = Form::kUndecided;
  bool text_ = false;  // whether a line with text was seen
};

/// A hint about a line that begins with #, for messages about lines that do not fit; else empty.
std::string CommentHint(std::string_view line);

}  // namespace slackline::internal
