// SPDX-License-Identifier: BSD-3-Clause
//
// One column of features of a training table: its values, and the type that they have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/apps/multilabel/tables/table_schema.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// A column is numeric when all its known values are numbers, else categorical when it has few
/// different texts: at most 50, or a tenth of the number of known values, and at most 1000. It is
/// refused, because it would be no useful feature, when
///   - all its texts are dates or times, or numbers with a decimal comma;
///   - nine of ten values are numbers, more than ten different ones (the others are mistakes);
///   - it has more different texts than that (free text);
///   - it has more than ten known values, and all of them are different (an identifier).
/// Memory: 4 bytes a row while there are at most 1000 different texts, then 8.
class ColumnCollector {
 public:
  /// `source`: the file, for messages.
  ColumnCollector(std::string source, std::string name);

  /// Appends a value. Throws DataError on numbers that are not finite or beyond ±1e50, and as soon
  /// as it is clear that the column is refused.
  void Add(std::string_view text, long line);
  /// To be called after the last value. Throws DataError when the column is refused.
  void Finish();

  // After Finish.
  const TableColumn& column() const { return column_; }
  /// What takes the place of missing values: the mean of the known ones, 0 where there are none.
  double mean() const { return mean_; }
  Offset num_missing() const { return num_missing_; }
  /// Whether the values are 1, 2, 3, … (from any whole number on), without gaps, ten or more.
  bool counts_up() const;
  /// Puts the value of a row in its place; `number`: of this column in the schema of `rows`.
  void Put(Index row, std::size_t number, TableRows* rows) const;

  double bytes() const;

 private:
  /// A different text of the column.
  struct Text {
    bool is_number = false;
    double number = 0;
    long line = 0;  // where it came first
    Offset count = 0;
  };
  [[noreturn]] void Refuse(long line, const std::string& message, const std::string& advice) const;
  void AddNumber(std::string_view text, long line);
  Text MakeText(std::string_view text, long line) const;
  void Note(double number);
  void Widen();
  void RefuseMixture(std::string_view text, long line, Offset numbers) const;
  void CheckTexts(bool too_many) const;
  void MakeCategories();

  std::string source_;
  TableColumn column_;
  StringTable texts_;
  std::vector<Text> facts_;          // about texts_
  std::vector<Index> codes_;         // rows: the text, kAbsent where it is missing; or, when wide_,
  std::vector<double> wide_values_;  // the number, NaN where it is missing
  bool wide_ = false;
  std::vector<Index> ranks_;  // of texts among the categories
  double mean_ = 0;
  Offset num_missing_ = 0;
  Offset num_known_ = 0;
  double first_ = 0;  // the first number
  bool counts_up_ = true;
};

}  // namespace slackline::internal
