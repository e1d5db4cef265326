// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/csv_prediction.h>

#include <algorithm>
#include <unordered_map>

#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kMostListedColumns = 8;

/// "'a', 'b', and 3 more".
std::string NameList(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kMostListedColumns); ++k)
    text += (k > 0 ? ", " : "") + Quoted(names[k]);
  if (names.size() > kMostListedColumns)
    text += ", and " + std::to_string(names.size() - kMostListedColumns) + " more";
  return text;
}

using Positions = std::unordered_map<std::string_view, std::size_t>;

/// The positions refer to `names`, which must outlive them.
Positions PositionsOf(const std::vector<std::string>& names) {
  Positions positions;
  for (std::size_t k = 0; k < names.size(); ++k) positions.emplace(names[k], k);
  return positions;
}

std::string Columns(const std::vector<std::string>& names) {
  return std::string(names.size() == 1 ? "column " : "columns ") + NameList(names);
}

}  // namespace

CsvPrediction::CsvPrediction(const std::string& source, const std::string& file,
                             const CsvHeader& header, const MultiLabelReadOptions& options)
    : file_(file),
      header_(header),
      options_(options),
      roles_(header.names.size()),
      missing_(options.table->columns.size(), 0),
      unknown_(missing_),
      no_labels_(options.classes ? 0 : options.label_names.size(), -1),
      labels_(options.classes ? std::vector<std::string>() : options.label_names,
              options.table->marked),
      classes_(options.label_names, options.strict, options.numbers),
      rows_(*options.table, options.constant) {
  data_.source = source;
  data_.has_constant = options.constant;
  data_.label_names = options.label_names;
  data_.num_features = static_cast<Index>(options.table->num_features());
  data_.feature_names = options.table->FeatureNames();
  data_.fill_values = options.fill_values;
  data_.table = options.table;
  FindRoles();
  TellExtraColumns();
}

/// Determines which columns of the table are features and labels of the model.
void CsvPrediction::FindRoles() {
  const Positions positions = PositionsOf(header_.names);
  const auto assign = [&](const std::string& name, std::size_t number, Index Role::*role,
                          std::vector<std::string>* absent) {
    const auto found = positions.find(name);
    if (found == positions.end()) {
      absent->push_back(name);
    } else {
      roles_[found->second].*role = static_cast<Index>(number);
    }
  };
  std::vector<std::string> columns;  // columns that the table does not have
  for (std::size_t c = 0; c < options_.table->columns.size(); ++c)
    assign(options_.table->columns[c].name, c, &Role::column, &columns);
  if (!columns.empty()) {
    throw DataError(header_.file, header_.line,
                    "the model needs " + Columns(columns) + ", which the table does not have");
  }
  std::vector<std::string> labels;  // labels that the table does not have
  if (options_.classes) {
    if (!options_.class_column.empty()) assign(options_.class_column, 0, &Role::label, &labels);
    return;
  }
  if (!options_.table->labels_in.empty()) {
    lists_.emplace(options_.table->list_separator, options_.label_names);
    assign(options_.table->labels_in, 0, &Role::label, &labels);
    return;
  }
  for (std::size_t k = 0; k < options_.label_names.size(); ++k)
    assign(options_.label_names[k], k, &Role::label, &labels);
  if (labels.empty() || labels.size() == options_.label_names.size()) return;
  header_notes_.push_back("the table has no " + Columns(labels) + ": " +
                          (labels.size() == 1 ? "this label is" : "these labels are") +
                          " not known");
}

void CsvPrediction::TellExtraColumns() {
  const Positions ignored = PositionsOf(options_.table->ignored);
  std::vector<std::string> extra;
  for (std::size_t k = 0; k < roles_.size(); ++k) {
    if (roles_[k].label != kAbsent || roles_[k].column != kAbsent) continue;
    const bool trailing = header_.names[k].empty() && k + 1 == roles_.size();
    if (!trailing && !ignored.contains(header_.names[k])) extra.push_back(header_.names[k]);
  }
  if (extra.empty()) return;
  const std::string text = Columns(extra) + ", unknown to the model";
  if (options_.strict) throw DataError(header_.file, header_.line, text + " (--strict)");
  header_notes_.push_back(text + ", left out");
}

void CsvPrediction::RefuseOrCountUnknown(std::size_t column, std::string_view text, long line) {
  if (options_.strict) {
    throw DataError(file_, line,
                    "the category " + Quoted(text) + " of column " +
                        Quoted(options_.table->columns[column].name) +
                        " is unknown to the model (--strict)");
  }
  if (unknown_example_.empty())
    unknown_example_ = Quoted(text) + " on line " + std::to_string(line) +
                       (file_ == data_.source ? std::string() : " of " + file_);
  ++unknown_[column];
}

void CsvPrediction::AddFeature(std::size_t column, std::string_view text, long line) {
  const CellOutcome outcome = rows_.SetCell(column, text, options_.fill_values);
  switch (outcome) {
    case CellOutcome::kSet:
      return;
    case CellOutcome::kMissing:
      if (options_.fill_values.empty() && !options_.table->columns[column].categorical())
        throw DataError(file_, line,
                        "column " + Quoted(options_.table->columns[column].name) +
                            " has no value, and the model does not know what to replace it by");
      ++missing_[column];
      return;
    case CellOutcome::kUnknownCategory:
      RefuseOrCountUnknown(column, text, line);
      return;
    case CellOutcome::kTooLarge:
    case CellOutcome::kNoNumber:
      throw DataError(file_, line,
                      "value " + Quoted(text) + " of column " +
                          Quoted(options_.table->columns[column].name) +
                          (outcome == CellOutcome::kTooLarge ? " is too large (more than 1e50)"
                                                             : " is not a finite number"));
  }
}

void CsvPrediction::AddLabels(const CsvRecords& records) {
  if (lists_) {
    const auto column = std::find_if(roles_.begin(), roles_.end(),
                                     [](const Role& role) { return role.label != kAbsent; });
    lists_->Add(column == roles_.end() ? "?" : ValueAt(records, column - roles_.begin()));
    return;
  }
  const std::size_t first_label = data_.labels.size();
  data_.labels.insert(data_.labels.end(), no_labels_.begin(), no_labels_.end());
  std::string_view class_name;  // missing, if the table has no classes
  for (std::size_t k = 0; k < roles_.size(); ++k) {
    if (roles_[k].label == kAbsent) continue;
    const std::string_view text = ValueAt(records, k);
    if (options_.classes) {
      class_name = text;
    } else {
      data_.labels[first_label + roles_[k].label] =
          labels_.Add(roles_[k].label, text, file_, records.line());
    }
  }
  if (options_.classes) classes_.Add(class_name, {data_.source, file_, records.line()});
}

void CsvPrediction::AddRow(const CsvRecords& records) {
  CheckRow(file_, header_, records, data_.lines.size());
  const long line = records.line();
  AddLabels(records);
  for (std::size_t k = 0; k < roles_.size(); ++k) {
    if (roles_[k].column != kAbsent) AddFeature(roles_[k].column, ValueAt(records, k), line);
  }
  rows_.EndRow();
  if (file_ != data_.source) data_.files.Add(data_.num_examples(), file_);
  data_.lines.push_back(line);
}

std::vector<std::pair<std::string, Offset>> CsvPrediction::Counts(const std::vector<Offset>& counts,
                                                                  bool categorical) const {
  std::vector<std::pair<std::string, Offset>> named;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const TableColumn& column = options_.table->columns[c];
    if (counts[c] > 0 && column.categorical() == categorical)
      named.emplace_back(column.name, counts[c]);
  }
  return named;
}

std::vector<std::string> CsvPrediction::Notes() const {
  std::vector<std::string> notes = header_notes_;
  AddMissingNotes(Counts(missing_, false), Counts(missing_, true), &notes);
  const auto unknown = Counts(unknown_, true);
  if (!unknown.empty())
    notes.push_back(ColumnCountsText("value", unknown) +
                    ", of categories unknown to the model (first " + unknown_example_ +
                    "), counted as no category");
  labels_.AddNotes(&notes);
  if (lists_) lists_->AddNotes(&notes);
  classes_.AddNotes(&notes);
  return notes;
}

void CsvPrediction::Agree(Ranks& ranks) {
  if (options_.classes) classes_.Agree(ranks, data_.source);
  labels_.Agree(ranks);
  if (lists_) lists_->Agree(ranks);
  ranks.AddUp(missing_);
  ranks.AddUp(unknown_);
  unknown_example_ = ranks.FirstText(unknown_example_);
}

MultiLabelData& CsvPrediction::Examples() {
  data_.rows = rows_.rows();
  labels_.Resolve(data_.labels);
  if (lists_) {
    data_.labels.clear();
    lists_->AppendTo(&data_.labels);
  }
  if (options_.classes) {
    data_.label_names = classes_.Names();
    data_.classes = classes_.classes();
    data_.numbers = classes_.values();
  }
  return data_;
}

void CsvPrediction::Forget() {
  data_.labels.clear();
  if (lists_) lists_->Forget();
  classes_.Forget();
  data_.lines.clear();
  data_.files.Clear();
  rows_.Forget();
}

}  // namespace slackline::internal
