// SPDX-License-Identifier: BSD-3-Clause
//
// The texts of yes-or-no labels in tables and ARFF: 0 and 1, true and false, yes and no in some
// languages, ±1, and x beside empty cells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

enum class LabelWord : std::uint8_t {
  kNo,        ///< 0, false, f, no, n, nein, non, off, neg, negative, absent
  kYes,       ///< 1, true, t, yes, y, ja, j, oui, si, on, pos, positive, present
  kMinusOne,  ///< no, in columns without 0
  kMark,      ///< x or a tick: yes, and an empty cell is no, in columns without a word for no
  kEmpty,     ///< unknown, but beside marks
  kUnknown,   ///< one of the texts of missing values (table_text.h)
};
/// What a text means, in any case; numbers in any form (0.0, 1e0). nullopt for other texts.
std::optional<LabelWord> ParseLabelWord(std::string_view text);

/// Reads labels, one after the other, and remembers how each column spells yes and no.
class LabelWords {
 public:
  /// marked: the names of columns of marks that are known beforehand.
  explicit LabelWords(std::vector<std::string> names, const std::vector<std::string>& marked = {});

  /// The value of a cell of column `label`: 0, 1, −1 (unknown), or kEmptyCell, which Resolve
  /// replaces. Throws DataError, which names the column, on other texts, and on −1 in a column with
  /// 0.
  std::int8_t Add(Index label, std::string_view text, const std::string& file, long line);
  static constexpr std::int8_t kEmptyCell = -2;

  /// Tells AddNotes the words for no and yes where the file declares them.
  void Tell(const std::string& no, const std::string& yes);

  /// Where several ranks have read rows, all of them call this function before Resolve.
  void Agree(Ranks& ranks);
  /// Replaces kEmptyCell in rows of labels, one entry per column: by 0 in columns of marks without
  /// a word for no, else by −1.
  void Resolve(std::span<std::int8_t> labels) const;
  /// The names of the columns in which empty cells mean no.
  std::vector<std::string> Marked() const;
  /// Appends what was taken for yes and no where it was not 0, 1, true or false.
  void AddNotes(std::vector<std::string>* notes) const;

 private:
  struct Column {
    std::string name;
    bool zero = false, no = false, minus_one = false, mark = false;
    bool marked() const { return mark && !no && !minus_one; }
  };
  std::vector<Column> columns_;
  std::string yes_, no_, mark_;  // the first unusual texts
};

}  // namespace slackline::internal
