// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/csv_training.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <slackline/apps/multilabel/tables/column_selection.h>
#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

constexpr Index kLabel = -1;
constexpr Index kIgnored = -2;
constexpr std::size_t kRowsPerCheck = 1024;

}  // namespace

CsvTraining::CsvTraining(const std::string& source, const CsvHeader& header, char separator,
                         const MultiLabelReadOptions& options)
    : source_(source), header_(header), options_(options) {
  data_.source = source;
  data_.has_constant = options.append_constant;
  schema_->separator = separator;
  ChooseColumns();
}

void CsvTraining::ChooseColumns() {
  role_.assign(header_.names.size(), 0);
  if (!options_.ignore_columns.empty()) {
    for (const Index k : SelectColumns("--ignore-columns", options_.ignore_columns, header_.names))
      role_[k] = kIgnored;
  }
  for (const Index k : SelectColumns("--label-columns", options_.label_columns, header_.names)) {
    if (role_[k] == kIgnored)
      throw DataError("--ignore-columns: column " + Quoted(header_.names[k]) +
                      " is one of --label-columns");
    role_[k] = kLabel;
  }
  for (std::size_t k = 0; k < role_.size(); ++k) {
    const std::string& name = header_.names[k];
    if (role_[k] == kIgnored) {
      if (!name.empty()) schema_->ignored.push_back(name);
      continue;
    }
    if (name.empty()) {
      throw DataError(source_, header_.line,
                      "column " + std::to_string(k + 1) +
                          " has no name; name it, or leave it out by --ignore-columns " +
                          std::to_string(k + 1));
    }
    if (role_[k] == kLabel) {
      data_.label_names.push_back(name);
    } else {
      role_[k] = static_cast<Index>(columns_.size());
      columns_.emplace_back(source_, name);
    }
  }
  if (columns_.empty() && !data_.has_constant)
    throw DataError(source_, header_.line,
                    "all columns are labels or ignored: there are no features");
}

void CsvTraining::AddRow(const CsvRecords& records) {
  CheckRow(source_, header_, records, data_.lines.size());
  const long line = records.line();
  for (std::size_t k = 0; k < role_.size(); ++k) {
    const std::string_view text = records.fields()[k];
    if (role_[k] == kLabel) {
      data_.labels.push_back(ReadLabelText(source_, line, header_.names[k], text));
    } else if (role_[k] != kIgnored) {
      columns_[role_[k]].Add(text, line);
    }
  }
  data_.lines.push_back(line);
  if (data_.lines.size() % kRowsPerCheck == 0) CheckSize();
}

/// Throws DataError when the data need more memory than there is: during reading by the features
/// known so far, at the end by all features.
void CsvTraining::CheckSize() const {
  const auto labels = static_cast<double>(data_.num_labels());
  const auto rows = static_cast<double>(data_.num_examples());
  double features = data_.has_constant ? 1 : 0;
  double bytes = options_.bytes_per_label_entry * labels * rows;
  for (const ColumnCollector& column : columns_) {
    features += column.column().width();
    bytes += column.bytes();
  }
  const double stored =
      schema_->sparse() ? 12.0 * static_cast<double>(columns_.size()) : 8.0 * features;
  bytes += stored * rows + options_.bytes_per_weight * labels * features;
  const std::string excess = MemoryExcess(bytes);
  if (excess.empty()) return;
  throw DataError(source_, data_.lines.back(),
                  Count(data_.num_labels(), "label") + " × " +
                      Count(data_.num_examples(), "example") + " × " +
                      Count(static_cast<Offset>(features), "feature") + ": " + excess +
                      "; leave columns out by --ignore-columns");
}

void CsvTraining::MakeRows() {
  for (const ColumnCollector& column : columns_) schema_->columns.push_back(column.column());
  if (schema_->num_features() >= std::numeric_limits<Index>::max())
    throw DataError(source_, 0, "the table makes too many features");
  CheckSize();
  TableRows rows(*schema_, data_.has_constant);
  for (Index m = 0; m < data_.num_examples(); ++m) {
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].Put(m, c, &rows);
    rows.EndRow();
  }
  data_.rows = rows.rows();
  data_.num_features = static_cast<Index>(schema_->num_features());
  data_.feature_names = schema_->FeatureNames();
  for (const ColumnCollector& column : columns_) {
    const double fill = column.column().categorical() ? 0 : column.mean();
    data_.fill_values.insert(data_.fill_values.end(), column.column().width(), fill);
  }
}

std::vector<std::string> CsvTraining::Notes() const {
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, Offset>> numbers;
  std::vector<std::pair<std::string, Offset>> categories;
  double ignored = 0;
  const auto numbers_as_names =
      std::count_if(header_.names.begin(), header_.names.end(),
                    [&](const std::string& name) { return ParseNumber(name, &ignored); });
  if (2 * numbers_as_names > static_cast<std::ptrdiff_t>(header_.names.size()))
    notes.emplace_back("most names of columns are numbers: is the first line a header?");
  if (schema_->separator == ';') notes.emplace_back("the columns are separated by semicolons");
  for (const ColumnCollector& column : columns_) {
    const TableColumn& facts = column.column();
    if (column.num_missing() > 0)
      (facts.categorical() ? categories : numbers).emplace_back(facts.name, column.num_missing());
    if (column.counts_up())
      notes.push_back("column " + Quoted(facts.name) +
                      " only counts the rows; --ignore-columns leaves it out");
  }
  AddMissingNotes(numbers, categories, &notes);
  return notes;
}

MultiLabelData CsvTraining::Finish() {
  for (ColumnCollector& column : columns_) column.Finish();
  MakeRows();
  data_.table = schema_;
  return std::move(data_);
}

}  // namespace slackline::internal
