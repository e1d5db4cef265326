// SPDX-License-Identifier: BSD-3-Clause
//
// Files whose lines refer to labels: graphs, weights. Words are separated by blanks or tabs. A
// label is given by its name or, if no label has that name, by its number, which counts from 0.
// Words that contain blanks, or begin with # or ", stand in double quotes, with "" for a quote. A
// word that begins with # starts a comment, up to the end of the line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <slackline/core/line_reader.h>
#include <slackline/core/types.h>

namespace slackline::internal {

class LabelLines {
 public:
  struct Word {
    std::string text;
    bool quoted = false;
  };

  /// Requires at least one name; the names must outlive the object. Throws DataError when the file
  /// cannot be read.
  LabelLines(const std::string& path, std::span<const std::string> label_names);

  /// Moves to the next line with words; false at the end. Throws DataError on an unclosed quote.
  bool Next();
  const std::vector<Word>& words() const { return words_; }
  /// The words in the quoted form of messages.
  std::string Text() const;
  const std::string& name() const { return reader_.name(); }
  long line_number() const { return reader_.line_number(); }

  /// The label of the word. Throws DataError if the word is not a label.
  Index LabelOf(const Word& word) const;
  /// Throws DataError with file and line.
  [[noreturn]] void Fail(const std::string& message) const;

 private:
  void Split(std::string_view line);
  std::string TakeQuoted(std::string_view line, std::size_t* k) const;

  LineReader reader_;
  std::span<const std::string> names_;
  std::unordered_map<std::string, Index> numbers_;
  std::vector<Word> words_;
};

}  // namespace slackline::internal
