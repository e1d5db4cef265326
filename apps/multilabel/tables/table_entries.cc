// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/table_entries.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_set>

#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

std::vector<double> LoadFillValues(const ModelEntries& entries, Index num_features) {
  if (!entries.file().Has("fill_values")) return {};
  const auto values = entries.Doubles("fill_values", num_features);
  entries.Require(std::all_of(values.begin(), values.end(),
                              [](double v) { return std::abs(v) <= kLargestValue; }),
                  "fill_values");
  return {values.begin(), values.end()};
}

/// Names of feature columns and labels must differ, because columns are found by name.
void CheckNames(const ModelEntries& entries, const std::vector<std::string>& columns,
                const std::vector<std::string>& label_names) {
  std::unordered_set<std::string_view> seen(label_names.begin(), label_names.end());
  for (const std::string& name : columns)
    entries.Require(!name.empty() && seen.insert(name).second, "table_columns");
}

std::vector<TableColumn> LoadColumns(const ModelEntries& entries) {
  const auto& names = entries.file().Strings("table_columns");
  const auto counts = entries.Integers("table_category_counts", names.size());
  const auto& categories = entries.file().Strings("table_categories");
  std::vector<TableColumn> columns;
  Offset begin = 0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    entries.Require(counts[c] >= 0 && counts[c] <= std::ssize(categories) - begin,
                    "table_category_counts");
    const auto first = categories.begin() + begin;
    TableColumn column{names[c], {first, first + counts[c]}};
    // Categories must be strictly ascending, because they are found by bisection.
    entries.Require(std::adjacent_find(column.categories.begin(), column.categories.end(),
                                       std::greater_equal<>()) == column.categories.end(),
                    "table_categories");
    begin += counts[c];
    columns.push_back(std::move(column));
  }
  entries.Require(begin == std::ssize(categories), "table_categories");
  if (!entries.file().Has("table_number_forms")) return columns;
  const auto forms = entries.Integers("table_number_forms", names.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    entries.Require(forms[c] >= 0 && forms[c] / 4 <= 2 && forms[c] % 4 <= 2, "table_number_forms");
    columns[c].form = {static_cast<NumberForm::Sign>(forms[c] / 4),
                       static_cast<NumberForm::Marks>(forms[c] % 4)};
  }
  return columns;
}

/// Whether these are the features of the columns. Makes one name at a time, because all names of a
/// manipulated file together could be much longer than the file.
bool MakeFeatures(const std::vector<TableColumn>& columns, const std::vector<std::string>& names) {
  std::size_t feature = 0;
  for (const TableColumn& column : columns) {
    if (names.size() < feature + column.width()) return false;
    if (!column.categorical() && names[feature++] != column.name) return false;
    for (const std::string& category : column.categories) {
      if (names[feature++] != column.name + "=" + category) return false;
    }
  }
  return feature == names.size();
}

}  // namespace

void SaveInputRecord(const InputRecord& input, ModelWriter* writer) {
  if (!input.fill_values.empty()) writer->Add("fill_values", input.fill_values);
  if (!input.table) return;
  std::vector<std::string> names;
  std::vector<std::int64_t> counts;
  std::vector<std::string> categories;
  std::vector<std::int64_t> forms;
  bool plain = true;
  for (const TableColumn& column : input.table->columns) {
    forms.push_back(4 * static_cast<std::int64_t>(column.form.sign) +
                    static_cast<std::int64_t>(column.form.marks));
    plain = plain && column.form.plain();
    names.push_back(column.name);
    counts.push_back(static_cast<std::int64_t>(column.categories.size()));
    categories.insert(categories.end(), column.categories.begin(), column.categories.end());
  }
  writer->Add("table_columns", names);
  writer->Add("table_category_counts", counts);
  writer->Add("table_categories", categories);
  writer->Add("table_ignored", input.table->ignored);
  if (!plain) writer->Add("table_number_forms", forms);
  if (!input.table->labels_in.empty())
    writer->Add("table_labels_in",
                std::vector<std::string>{input.table->labels_in,
                                         std::string(1, input.table->list_separator)});
  if (!input.table->marked.empty()) writer->Add("table_marked", input.table->marked);
  writer->Add("table_separator", std::string(1, input.table->separator));
}

InputRecord LoadInputRecord(const ModelEntries& entries, Index num_features,
                            const std::vector<std::string>& feature_names,
                            const std::vector<std::string>& label_names) {
  InputRecord input;
  input.fill_values = LoadFillValues(entries, num_features);
  if (!entries.file().Has("table_columns")) return input;
  auto table = std::make_shared<TableSchema>();
  table->columns = LoadColumns(entries);
  entries.Require(std::ssize(feature_names) == num_features, "feature_names");
  CheckNames(entries, entries.file().Strings("table_columns"), label_names);
  entries.Require(std::ssize(input.fill_values) == num_features, "fill_values");
  entries.Require(MakeFeatures(table->columns, feature_names), "table_columns");
  table->ignored = entries.file().Strings("table_ignored");
  const std::string& separator = entries.file().String("table_separator");
  entries.Require(separator.size() == 1, "table_separator");
  if (entries.file().Has("table_labels_in")) {
    const std::vector<std::string>& list = entries.file().Strings("table_labels_in");
    entries.Require(list.size() == 2 && list[1].size() == 1, "table_labels_in");
    table->labels_in = list[0];
    table->list_separator = list[1].front();
  }
  if (entries.file().Has("table_marked")) table->marked = entries.file().Strings("table_marked");
  table->separator = separator.front();
  input.table = std::move(table);
  return input;
}

}  // namespace slackline::internal
