// SPDX-License-Identifier: BSD-3-Clause
//
// What training found out about the columns of a table (CSV, TSV), and how a row of such a table
// becomes a feature vector. Models keep it, so that later tables are read in the same way.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// A column of features.
struct TableColumn {
  std::string name;
  /// Empty: a numeric column, which is one feature. Else a categorical column, which is one feature
  /// (0 or 1) for each of these texts. Sorted, without duplicates.
  std::vector<std::string> categories;

  bool categorical() const { return !categories.empty(); }
  Index width() const { return categorical() ? static_cast<Index>(categories.size()) : 1; }
  /// The position of a text among the categories, or kAbsent. Logarithmic.
  Index Find(std::string_view text) const;
};

struct TableSchema {
  std::vector<TableColumn> columns;  ///< in the order of the training table; features in this order
  std::vector<std::string> ignored;  ///< names of columns that training left out
  char separator = ',';              ///< of the training table: ',', ';' or a tab

  Offset num_features() const;
  /// "age" of a numeric column, "colour=red" of a category.
  std::vector<std::string> FeatureNames() const;
  /// Whether rows are stored sparse: with more than 200 features of which at most a quarter can
  /// differ from 0 in a row. Depends on the schema alone, so that all tables for one model agree.
  bool sparse() const;
};

/// What became of the text of a cell.
enum class CellOutcome { kSet, kMissing, kUnknownCategory, kTooLarge, kNoNumber };

/// Collects the feature vectors of table rows.
class TableRows {
 public:
  /// The schema must live as long. With `constant`, every row ends with a feature that is 1.
  TableRows(const TableSchema& schema, bool constant);

  /// Sets the feature of a numeric column in the row that is being made.
  void SetNumber(std::size_t column, double value) { values_[first_[column]] = value; }
  /// Sets a category by its position.
  void SetCategory(std::size_t column, Index category) { values_[first_[column] + category] = 1; }
  /// Sets the features of a column by the text of its cell, as it stands in a file. A missing
  /// number becomes that of fill_values, which has one for each feature; missing and unknown
  /// categories set nothing, and neither do texts of numeric columns that are no numbers.
  CellOutcome SetCell(std::size_t column, std::string_view text,
                      std::span<const double> fill_values);
  /// The features of the row that is being made, which is begun anew.
  std::vector<double> TakeValues();
  /// Ends the row; what was not set is 0.
  void EndRow();

  /// The rows since the last Forget; valid until the next EndRow.
  std::shared_ptr<const FeatureRows> rows() const { return rows_; }
  void Forget() { rows_ = std::make_shared<FeatureRows>(); }

 private:
  const TableSchema& schema_;
  bool sparse_;
  std::vector<Index> first_;  // the first feature of each column
  std::vector<double> row_;   // an empty row: zeros, then the constant
  std::vector<double> values_;
  std::vector<Index> kept_columns_;  // of a sparse row
  std::vector<double> kept_values_;
  std::shared_ptr<FeatureRows> rows_ = std::make_shared<FeatureRows>();
};

}  // namespace slackline::internal
