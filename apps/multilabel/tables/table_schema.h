// SPDX-License-Identifier: BSD-3-Clause
//
// What training determined about the columns of a table (CSV, TSV), and how a row becomes a feature
// vector. Models store the schema so that later tables are read in the same way.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multilabel/tables/number_form.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// A column of features.
struct TableColumn {
  std::string name;
  /// Empty: a numeric column, which is one feature. Otherwise a categorical column, which is one
  /// feature (0 or 1) for each of these texts. Sorted, without duplicates.
  std::vector<std::string> categories;
  NumberForm form = {};  ///< of a numeric column

  bool categorical() const { return !categories.empty(); }
  Index width() const { return categorical() ? static_cast<Index>(categories.size()) : 1; }
  /// The position of a text among the categories, or kAbsent. Logarithmic time.
  Index Find(std::string_view text) const;
  bool operator==(const TableColumn&) const = default;
};

struct TableSchema {
  std::vector<TableColumn> columns;  ///< in the order of the training table and of features
  std::vector<std::string> ignored;  ///< names of columns that training left out
  char separator = ',';              ///< of the training table
  std::string labels_in = {};        ///< the column that lists the labels of each row; empty: none
  char list_separator = ';';         ///< between the labels of such a list
  std::vector<std::string> marked = {};  ///< labels whose cells are empty for no (label_words.h)

  Offset num_features() const;
  /// "age" for a numeric column, "colour=red" for a category.
  std::vector<std::string> FeatureNames() const;
  /// Whether rows are stored sparse: if there are more than 200 features, of which at most a
  /// quarter can be nonzero in a row. Depends only on the schema, so that all tables of a model
  /// agree.
  bool sparse() const;
  bool operator==(const TableSchema&) const = default;
};

/// The effect of the text of a cell.
enum class CellOutcome { kSet, kMissing, kUnknownCategory, kTooLarge, kNoNumber };

/// Collects the feature vectors of table rows.
class TableRows {
 public:
  /// The schema must outlive this object. With `constant`, every row ends with a feature that is 1.
  TableRows(const TableSchema& schema, bool constant);

  /// Sets the feature of a numeric column in the current row.
  void SetNumber(std::size_t column, double value) { values_[first_[column]] = value; }
  /// Sets a category, given by its position, in the current row.
  void SetCategory(std::size_t column, Index category) { values_[first_[column] + category] = 1; }
  /// Sets the features of a column from the text of its cell in a file. fill_values has one number
  /// per feature, or is empty: it replaces a missing number, else 0 does. Missing and unknown
  /// categories set nothing, nor do texts of numeric columns that are not numbers.
  CellOutcome SetCell(std::size_t column, std::string_view text,
                      std::span<const double> fill_values);
  /// Returns the features of the current row and starts it anew.
  std::vector<double> TakeValues();
  /// Ends the row; features that were not set are 0.
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
