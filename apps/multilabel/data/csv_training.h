// SPDX-License-Identifier: BSD-3-Clause
//
// A table to train on; determines the types of its columns.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/class_column.h>
#include <slackline/apps/multilabel/data/csv_header.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/column_collector.h>
#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/apps/multilabel/tables/label_lists.h>
#include <slackline/apps/multilabel/tables/label_words.h>
#include <slackline/apps/multilabel/tables/table_schema.h>

namespace slackline::internal {

class CsvTraining {
 public:
  /// source: the file or folder. file: the file of the next row, which may change from row to row.
  /// All arguments but the source must outlive this object. Throws DataError when columns of the
  /// options do not exist or are both labels and ignored, when a column has no name, or when no
  /// features are left.
  CsvTraining(const std::string& source, const std::string& file, const CsvHeader& header,
              const MultiLabelReadOptions& options);

  /// Throws DataError on a row of the wrong length, on bad values, and when memory does not
  /// suffice.
  void AddRow(const CsvRecords& records);
  /// All ranks must call it after the last row: they agree on the columns. Throws DataError on all
  /// ranks when a column is rejected (column_collector.h).
  void Agree(Ranks& ranks);
  /// After Agree; at least one rank must have a row. Returns the data of this rank without notes,
  /// and with options.columns_only without examples. Throws DataError when memory does not suffice.
  MultiLabelData Finish();
  /// MultiLabelData::notes for all rows; to be called after Finish.
  std::vector<std::string> Notes() const;

 private:
  std::vector<Index> LabelColumns() const;
  void ChooseColumns();
  [[noreturn]] void FailWithoutName(std::size_t column, long line) const;
  void CheckSize() const;
  void MakeRows();

  const std::string& file_;
  const CsvHeader& header_;
  const MultiLabelReadOptions& options_;
  std::shared_ptr<TableSchema> schema_ = std::make_shared<TableSchema>();
  std::vector<Index> role_;  // per column of the file: kLabel, kIgnored, or its feature column
  std::vector<ColumnCollector> columns_;
  std::size_t num_rows_ = 0;
  MultiLabelData data_;
  std::optional<LabelWords> labels_;
  std::optional<LabelLists> lists_;  // with options.labels_in
  ClassColumn classes_;
};

}  // namespace slackline::internal
