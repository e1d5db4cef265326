// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/arff_columns.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {

Index ArffColumn::Position(std::string_view value) const {
  const auto found =
      std::lower_bound(positions.begin(), positions.end(), value,
                       [](const auto& entry, std::string_view v) { return entry.first < v; });
  return found != positions.end() && found->first == value ? found->second : kAbsent;
}

ArffColumn MakeArffColumn(const std::string& file, const ArffAttribute& attribute) {
  ArffColumn column;
  column.name = attribute.name;
  column.nominal = attribute.nominal;
  if (!attribute.nominal) return column;
  column.numbers.resize(attribute.values.size());
  for (std::size_t v = 0; v < attribute.values.size(); ++v) {
    column.positions.emplace_back(attribute.values[v], static_cast<Index>(v));
    if (!ParseNumber(attribute.values[v], &column.numbers[v])) column.one_hot = true;
  }
  for (std::size_t v = 0; v < attribute.values.size() && !column.one_hot; ++v) {
    if (std::abs(column.numbers[v]) <= kLargestValue) continue;
    throw DataError(file, attribute.line,
                    "value " + Quoted(attribute.values[v]) + " of attribute " +
                        Quoted(attribute.name) + " is too large (more than 1e50)");
  }
  std::sort(column.positions.begin(), column.positions.end());
  return column;
}

void NameArffFeatures(const ArffAttribute& attribute, const ArffColumn& column,
                      std::vector<std::string>* names) {
  if (!column.one_hot) {
    names->push_back(attribute.name);
    return;
  }
  for (const std::string& value : attribute.values) names->push_back(attribute.name + "=" + value);
}

}  // namespace slackline::internal
