// SPDX-License-Identifier: BSD-3-Clause
//
// One column of features of a training table: its values and their type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/apps/multilabel/tables/table_schema.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// What a user says about a table's columns of features.
struct ColumnOptions {
  bool decimal_comma = false;  ///< 1,5 and 1.234,5 are numbers
  bool categorical = false;    ///< this column has categories, whatever its texts are
  bool keep_values = true;     ///< whether Put is wanted; without it, one rank
};

/// A column is numeric if all its known values are numbers of one form (number_form.h); in such a
/// column IsMissingNumber says what is missing. Otherwise it is categorical if it has few different
/// texts: at most 50 or a tenth of the number of known values, whichever is more, and at most 1000.
/// It is rejected, because it would not be a useful feature, when
///   - all its texts are dates or times, or numbers with a decimal comma;
///   - more than half of its values are numbers, and it is not said to be categorical (the others
///     are mistakes);
///   - it has more different texts than a categorical column (free text);
///   - it has more than ten known values, and all of them are different (an identifier).
/// Memory: 4 bytes per row while there are at most 1000 different texts, then 8; none without
/// values.
class ColumnCollector {
 public:
  explicit ColumnCollector(std::string name, const ColumnOptions& options = {});

  /// Appends a value from this file, for messages. Throws DataError on numbers that are not finite
  /// or beyond ±1e50, and as soon as it is clear that the column is rejected.
  void Add(std::string_view text, const std::string& file, long line);
  /// All ranks must call it after the last value. From then on types, categories and counts cover
  /// the values of all ranks, in the order of the ranks. Throws DataError on all ranks when the
  /// column is rejected.
  void Finish(Ranks& ranks);
  /// Returns the sum plus the numbers of this rank, in the order of their rows; 0 for categories.
  double AddTo(double sum) const;
  /// Sets the mean from the sum of the numbers of all ranks.
  void SetSum(double sum);

  // The functions below may be called after Finish, mean() and Put after SetSum.
  const TableColumn& column() const { return column_; }
  /// The replacement of missing values: the mean of the known ones, or 0 if there are none.
  double mean() const { return mean_; }
  Offset num_missing() const { return num_missing_; }
  /// Whether the column has ten or more values, and they are consecutive integers in ascending
  /// order.
  bool counts_up() const;
  /// Writes the value of a row; `number` is the index of this column in the schema of `rows`.
  void Put(Index row, std::size_t number, TableRows* rows) const;

  double bytes() const;
  /// What a user may not expect of this column, one sentence each.
  void AddNotes(std::vector<std::string>* notes) const;

 private:
  /// A distinct text of the column.
  struct Text {
    bool is_number = false;
    double number = 0;
    std::string file;  // of the first occurrence
    long line = 0;
    Offset count = 0;
    bool missing = false;  // a missing value in a column of numbers
  };
  /// What ranks tell each other about their values.
  struct Facts;
  [[noreturn]] void Refuse(const Text& place, const std::string& message,
                           const std::string& advice) const;
  void AddNumber(std::string_view text, const std::string& file, long line);
  Text MakeText(std::string_view text, const std::string& file, long line, Offset count = 0) const;
  bool IsKnown(Index code) const { return code != kAbsent && !facts_[code].missing; }
  void Note(double number);
  void Widen();
  [[noreturn]] void RefuseMixture(std::string_view text, const Text& place, Offset numbers) const;
  bool AllNumbers() const;
  void DecideNumbers();
  void CheckTexts(bool too_many, Offset other_numbers = 0) const;
  void Agree(Ranks& ranks);
  void AgreeOnCounts(const std::vector<Facts>& facts);
  void JoinTexts(Ranks& ranks, const std::vector<Facts>& facts);
  void MakeCategories();

  TableColumn column_;
  const ColumnOptions options_;
  StringTable texts_;
  std::vector<Text> facts_;  // one per text of texts_
  // Of kept values.
  std::vector<Index> codes_;         // per row its text, kAbsent if missing; unless wide_
  std::vector<double> wide_values_;  // per row its number, NaN if missing; if wide_
  bool wide_ = false;
  std::vector<Index> ranks_;  // position of each text among the categories
  double sum_ = 0;            // of the numbers so far, in the order of their rows
  double mean_ = 0;
  Offset num_missing_ = 0;
  Offset num_known_ = 0;
  double first_ = 0;  // the first number
  bool counts_up_ = true;
  Offset mixed_numbers_ = 0;  // of a categorical column: its values that are numbers
  std::string example_;       // of texts: of a form, or of what is no number
};

}  // namespace slackline::internal
