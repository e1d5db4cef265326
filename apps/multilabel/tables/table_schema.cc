// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/table_schema.h>

#include <algorithm>
#include <utility>

#include <slackline/apps/multilabel/tables/table_text.h>

namespace slackline::internal {
namespace {

constexpr Offset kMostDenseFeatures = 200;

}  // namespace

Index TableColumn::Find(std::string_view text) const {
  const auto found = std::lower_bound(categories.begin(), categories.end(), text);
  if (found == categories.end() || *found != text) return kAbsent;
  return static_cast<Index>(found - categories.begin());
}

Offset TableSchema::num_features() const {
  Offset count = 0;
  for (const TableColumn& column : columns) count += column.width();
  return count;
}

std::vector<std::string> TableSchema::FeatureNames() const {
  std::vector<std::string> names;
  for (const TableColumn& column : columns) {
    if (!column.categorical()) names.push_back(column.name);
    for (const std::string& category : column.categories)
      names.push_back(column.name + "=" + category);
  }
  return names;
}

bool TableSchema::sparse() const {
  const Offset features = num_features();
  return features > kMostDenseFeatures && 4 * static_cast<Offset>(columns.size()) <= features;
}

TableRows::TableRows(const TableSchema& schema, bool constant)
    : schema_(schema), sparse_(schema.sparse()) {
  Index features = 0;
  for (const TableColumn& column : schema.columns) {
    first_.push_back(features);
    features += column.width();
  }
  row_.assign(features, 0.0);
  if (constant) row_.push_back(1);
  values_ = row_;
}

CellOutcome TableRows::SetCell(std::size_t column, std::string_view text,
                               std::span<const double> fill_values) {
  const TableColumn& facts = schema_.columns[column];
  if (facts.categorical() ? IsMissingText(text) : IsMissingNumber(text)) {
    if (!facts.categorical() && !fill_values.empty())
      SetNumber(column, fill_values[first_[column]]);
    return CellOutcome::kMissing;
  }
  if (facts.categorical()) {
    const Index category = facts.Find(text);
    if (category == kAbsent) return CellOutcome::kUnknownCategory;
    SetCategory(column, category);
    return CellOutcome::kSet;
  }
  double number = 0;
  const CellKind kind = ParseNumberCell(text, facts.form, &number);
  if (kind == CellKind::kTooLarge) return CellOutcome::kTooLarge;
  if (kind != CellKind::kNumber) return CellOutcome::kNoNumber;
  SetNumber(column, number);
  return CellOutcome::kSet;
}

std::vector<double> TableRows::TakeValues() { return std::exchange(values_, row_); }

void TableRows::EndRow() {
  if (!sparse_) {
    rows_->AddDense(values_);
  } else {
    kept_columns_.clear();
    kept_values_.clear();
    for (std::size_t f = 0; f < values_.size(); ++f) {
      if (values_[f] == 0) continue;
      kept_columns_.push_back(static_cast<Index>(f));
      kept_values_.push_back(values_[f]);
    }
    rows_->AddSparse(kept_columns_, kept_values_);
  }
  values_ = row_;
}

}  // namespace slackline::internal
