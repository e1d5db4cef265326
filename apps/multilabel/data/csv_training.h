// SPDX-License-Identifier: BSD-3-Clause
//
// A table that a model is trained on: finds the types of its columns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/csv_header.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/column_collector.h>
#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/apps/multilabel/tables/table_schema.h>

namespace slackline::internal {

class CsvTraining {
 public:
  /// All must live as long. Throws DataError when columns of the options are not there, are both
  /// labels and ignored, have no name, or when no features are left.
  CsvTraining(const std::string& source, const CsvHeader& header, char separator,
              const MultiLabelReadOptions& options);

  /// Throws DataError on a row of the wrong length, on bad values, and when memory does not
  /// suffice.
  void AddRow(const CsvRecords& records);
  /// Requires a row. The data without notes. Throws DataError when a column is refused
  /// (column_collector.h).
  MultiLabelData Finish();
  /// MultiLabelData::notes of all rows; after Finish.
  std::vector<std::string> Notes() const;

 private:
  void ChooseColumns();
  void CheckSize() const;
  void MakeRows();

  const std::string& source_;
  const CsvHeader& header_;
  const MultiLabelReadOptions& options_;
  std::shared_ptr<TableSchema> schema_ = std::make_shared<TableSchema>();
  std::vector<Index> role_;  // of each column of the file: kLabel, kIgnored, or its feature column
  std::vector<ColumnCollector> columns_;
  MultiLabelData data_;
};

}  // namespace slackline::internal
