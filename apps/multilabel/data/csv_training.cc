// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/csv_training.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <slackline/apps/multilabel/tables/column_selection.h>
#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

constexpr Index kLabel = -1;
constexpr Index kIgnored = -2;
constexpr Index kNothing = -3;  // after the last separator
constexpr std::size_t kRowsPerCheck = 1024;

/// Gives the values of one rank to all ranks, which have equally many.
void SendFrom(Ranks& ranks, int rank, std::vector<double>* values) {
  std::vector<std::size_t> lengths(static_cast<std::size_t>(ranks.size()), 0);
  lengths[static_cast<std::size_t>(rank)] = values->size() * sizeof(double);
  const std::vector<double> mine = *values;
  ranks.GatherBytes(
      rank == ranks.rank() ? std::as_bytes(std::span(mine)) : std::span<const std::byte>(), lengths,
      std::as_writable_bytes(std::span(*values)).data());
}

}  // namespace

CsvTraining::CsvTraining(const std::string& source, const std::string& file,
                         const CsvHeader& header, const MultiLabelReadOptions& options)
    : file_(file), header_(header), options_(options), classes_({}, false, options.numbers) {
  data_.source = source;
  data_.has_constant = options.constant;
  schema_->separator = header.separator;
  ChooseColumns();
  labels_.emplace(data_.label_names);
}

/// The columns of the labels, or the one of the classes.
std::vector<Index> CsvTraining::LabelColumns() const {
  if (!options_.labels_in.empty()) {
    const auto found = std::find(header_.names.begin(), header_.names.end(), options_.labels_in);
    if (found != header_.names.end()) return {static_cast<Index>(found - header_.names.begin())};
    const std::vector<std::string_view> names(header_.names.begin(), header_.names.end());
    throw DataError("--labels-in: there is no column " + Quoted(options_.labels_in) +
                    DidYouMean(options_.labels_in, names));
  }
  const std::string option = options_.classes ? "--label-column" : "--label-columns";
  std::vector<Index> columns = SelectColumns(option, options_.label_columns, header_.names);
  if (options_.classes && columns.size() > 1) {
    throw DataError(
        option + ": " + Quoted(options_.label_columns) + " denotes " +
        std::to_string(columns.size()) +
        " columns, but every example has one class (slackline multilabel is for sets of "
        "labels)");
  }
  return columns;
}

void CsvTraining::ChooseColumns() {
  role_.assign(header_.names.size(), 0);
  if (!options_.ignore_columns.empty()) {
    for (const Index k : SelectColumns("--ignore-columns", options_.ignore_columns, header_.names))
      role_[k] = kIgnored;
  }
  for (const Index k : LabelColumns()) {
    if (role_[k] == kIgnored)
      throw DataError("--ignore-columns: column " + Quoted(header_.names[k]) + " is " +
                      (options_.classes ? "--label-column" : "one of --label-columns"));
    role_[k] = kLabel;
  }
  std::vector<bool> categorical(role_.size(), false);
  if (!options_.categories.empty()) {
    for (const Index k : SelectColumns("--categories", options_.categories, header_.names)) {
      if (role_[Size(k)] != 0)
        throw DataError("--categories: column " + Quoted(header_.names[Size(k)]) +
                        " is a label or ignored");
      categorical[Size(k)] = true;
    }
  }
  for (std::size_t k = 0; k < role_.size(); ++k) {
    const std::string& name = header_.names[k];
    if (name.empty() && k + 1 == role_.size() && k > 0 && role_[k] == 0) {
      role_[k] = kNothing;
      continue;
    }
    if (role_[k] == kIgnored) {
      if (!name.empty()) schema_->ignored.push_back(name);
      continue;
    }
    if (name.empty()) FailWithoutName(k, header_.line);
    if (role_[k] == kLabel && options_.classes) {
      data_.class_column = name;
    } else if (role_[k] == kLabel && !options_.labels_in.empty()) {
      lists_.emplace(options_.list_separator, std::vector<std::string>());
      schema_->labels_in = name;
      schema_->list_separator = options_.list_separator;
    } else if (role_[k] == kLabel) {
      data_.label_names.push_back(name);
    } else {
      role_[k] = static_cast<Index>(columns_.size());
      columns_.emplace_back(
          name, ColumnOptions{options_.decimal_comma, categorical[k], !options_.columns_only});
    }
  }
  if (columns_.empty() && !data_.has_constant)
    throw DataError(header_.file, header_.line,
                    "all columns are labels or ignored: there are no features");
}

void CsvTraining::FailWithoutName(std::size_t column, long line) const {
  const std::string number = std::to_string(column + 1);
  throw DataError(
      line == header_.line ? header_.file : file_, line,
      "column " + number + " has no name; name it, or leave it out by --ignore-columns " + number);
}

void CsvTraining::AddRow(const CsvRecords& records) {
  CheckRow(file_, header_, records, num_rows_++);
  const long line = records.line();
  Index next_label = 0;
  for (std::size_t k = 0; k < role_.size(); ++k) {
    const std::string_view text = ValueAt(records, k);
    if (role_[k] == kNothing) {
      if (!text.empty()) FailWithoutName(k, line);
    } else if (role_[k] == kLabel && options_.classes) {
      classes_.Add(text, {data_.source, file_, line});
    } else if (role_[k] == kLabel && lists_) {
      lists_->Add(text);
    } else if (role_[k] == kLabel) {
      const std::int8_t label = labels_->Add(next_label++, text, file_, line);
      if (!options_.columns_only) data_.labels.push_back(label);
    } else if (role_[k] != kIgnored) {
      columns_[role_[k]].Add(text, file_, line);
    }
  }
  if (options_.columns_only) return;
  if (file_ != data_.source) data_.files.Add(data_.num_examples(), file_);
  data_.lines.push_back(line);
  if (data_.lines.size() % kRowsPerCheck == 0) CheckSize();
}

/// Throws DataError when the data need more memory than there is: during reading by the features
/// known so far, at the end by all features.
void CsvTraining::CheckSize() const {
  const Index num_labels = options_.classes ? classes_.num_names() : data_.num_labels();
  const auto labels = static_cast<double>(num_labels);
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
  const std::string excess = MemoryExcess(bytes, options_.the_memory());
  if (excess.empty()) return;
  const bool any = data_.num_examples() > 0;
  throw DataError(any ? data_.FileOf(data_.num_examples() - 1) : data_.source,
                  any ? data_.lines.back() : 0,
                  (options_.classes ? classes_.CountText() : Count(num_labels, "label")) + " × " +
                      Count(data_.num_examples(), "example") + " × " +
                      Count(static_cast<Offset>(features), "feature") + ": " + excess +
                      "; leave columns out by --ignore-columns");
}

void CsvTraining::MakeRows() {
  for (const ColumnCollector& column : columns_) schema_->columns.push_back(column.column());
  if (schema_->num_features() >= std::numeric_limits<Index>::max())
    throw DataError(data_.source, 0, "the table makes too many features");
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
    column.AddNotes(&notes);
  }
  AddMissingNotes(numbers, categories, &notes);
  labels_->AddNotes(&notes);
  return notes;
}

void CsvTraining::Agree(Ranks& ranks) {
  if (options_.classes) classes_.Agree(ranks, data_.source);
  labels_->Agree(ranks);
  if (lists_) {
    lists_->Agree(ranks);
    data_.label_names = lists_->Names();
    if (data_.label_names.empty())
      throw DataError(data_.source, 0,
                      "no row has a label in column " + Quoted(schema_->labels_in));
  }
  for (ColumnCollector& column : columns_) column.Finish(ranks);
  // Ranks take turns: each adds its rows to the sums of the ranks before it, so that the bits of
  // the sums do not depend on the number of ranks.
  std::vector<double> sums(columns_.size(), 0.0);
  for (int r = 0; r < ranks.size(); ++r) {
    if (r == ranks.rank()) {
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = columns_[c].AddTo(sums[c]);
    }
    SendFrom(ranks, r, &sums);
  }
  for (std::size_t c = 0; c < sums.size(); ++c) columns_[c].SetSum(sums[c]);
}

MultiLabelData CsvTraining::Finish() {
  MakeRows();
  labels_->Resolve(data_.labels);
  if (lists_ && !options_.columns_only) lists_->AppendTo(&data_.labels);
  schema_->marked = labels_->Marked();
  data_.table = schema_;
  if (options_.classes) {
    data_.label_names = classes_.Names();
    data_.classes = classes_.classes();
    data_.numbers = classes_.values();
  }
  return std::move(data_);
}

}  // namespace slackline::internal
