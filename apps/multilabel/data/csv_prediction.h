// SPDX-License-Identifier: BSD-3-Clause
//
// A table to predict on, whose columns are found by their names.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/data/class_column.h>
#include <slackline/apps/multilabel/data/csv_header.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/apps/multilabel/tables/label_lists.h>
#include <slackline/apps/multilabel/tables/label_words.h>
#include <slackline/apps/multilabel/tables/table_schema.h>

namespace slackline::internal {

class CsvPrediction {
 public:
  /// source, file: as for CsvTraining. options: those of a model with a table. All arguments but
  /// the source must outlive this object. Throws DataError when columns of the model's features are
  /// missing (and, if strict, when there are other columns).
  CsvPrediction(const std::string& source, const std::string& file, const CsvHeader& header,
                const MultiLabelReadOptions& options);

  /// Throws DataError on a row of the wrong length and on bad values.
  void AddRow(const CsvRecords& records);
  /// The rows since the last Forget, without notes; valid until the next row.
  MultiLabelData& Examples();
  void Forget();
  /// All ranks must call it after the last row: counts become the sums over all ranks.
  void Agree(Ranks& ranks);
  /// Notes on the header and on all rows so far.
  std::vector<std::string> Notes() const;

 private:
  /// The role of a column of the file: a label, a column of the schema, or neither.
  struct Role {
    Index label = kAbsent;
    Index column = kAbsent;
  };
  void FindRoles();
  void AddLabels(const CsvRecords& records);
  void TellExtraColumns();
  void AddFeature(std::size_t column, std::string_view text, long line);
  void RefuseOrCountUnknown(std::size_t column, std::string_view text, long line);
  std::vector<std::pair<std::string, Offset>> Counts(const std::vector<Offset>& counts,
                                                     bool categorical) const;

  const std::string& file_;
  const CsvHeader& header_;
  const MultiLabelReadOptions& options_;
  std::vector<Role> roles_;
  std::vector<Offset> missing_;
  std::vector<Offset> unknown_;
  std::string unknown_example_;
  std::vector<std::string> header_notes_;
  std::vector<std::int8_t> no_labels_;  // of a row: −1 for each label without a column
  LabelWords labels_;
  std::optional<LabelLists> lists_;  // of a model whose table has a list of labels
  ClassColumn classes_;
  TableRows rows_;
  MultiLabelData data_;
};

}  // namespace slackline::internal
