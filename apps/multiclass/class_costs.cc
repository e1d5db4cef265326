// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/class_costs.h>

#include <algorithm>
#include <string_view>

#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

class CostReader {
 public:
  CostReader(const std::string& path, const std::vector<std::string>& class_names)
      : reader_(path), names_(class_names), costs_(names_.size() * names_.size(), 0.0) {}

  std::vector<double> Read() {
    std::string_view line;
    do {
      if (!reader_.Next(&line)) throw DataError(reader_.name(), 0, "no costs");
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    const char separator = FindSeparator(line);
    CsvRecords records(&reader_, separator == '\0' ? ',' : separator);
    records.Begin(line);
    ReadHeader(records);
    std::vector<bool> given(names_.size(), false);
    while (records.Next()) ReadRow(records, &given);
    RequireAll(given, "row");
    if (std::all_of(costs_.begin(), costs_.end(), [](double cost) { return cost == 0; }))
      throw DataError(reader_.name(), 0, "all costs are 0: no error would matter");
    return std::move(costs_);
  }

 private:
  void ReadHeader(const CsvRecords& records) {
    std::vector<bool> given(names_.size(), false);
    for (std::size_t k = 1; k < records.fields().size(); ++k)
      columns_.push_back(FindClass(records.fields()[k], records.line(), "column", &given));
    RequireAll(given, "column");
  }

  void ReadRow(const CsvRecords& records, std::vector<bool>* given) {
    const auto& fields = records.fields();
    const long line = records.line();
    const std::size_t row = FindClass(fields[0], line, "row", given);
    if (fields.size() != columns_.size() + 1) {
      throw DataError(reader_.name(), line,
                      "the row of class " + Quoted(fields[0]) + " has " +
                          Count(static_cast<Offset>(fields.size() - 1), "cost") +
                          ", but there are " + std::to_string(columns_.size()) + " classes");
    }
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const std::string_view text = fields[k + 1];
      double cost = 0;
      if (!ParseNumber(text, &cost) || cost < 0 || cost > kLargestValue) {
        throw DataError(reader_.name(), line,
                        Pair(row, columns_[k]) + " is " + Quoted(text) +
                            ", which is not a number from 0 to 1e50");
      }
      if (row == columns_[k] && cost != 0) {
        throw DataError(reader_.name(), line,
                        Pair(row, row) + " is " + Quoted(text) + ", but it is no error: write 0");
      }
      costs_[row * names_.size() + columns_[k]] = cost;
    }
  }

  std::string Pair(std::size_t given, std::size_t predicted) const {
    return "the cost of true class " + Quoted(names_[given]) + ", predicted class " +
           Quoted(names_[predicted]) + ",";
  }

  std::size_t FindClass(std::string_view text, long line, const std::string& what,
                        std::vector<bool>* given) const {
    const auto found = std::find(names_.begin(), names_.end(), text);
    if (found == names_.end()) {
      throw DataError(reader_.name(), line,
                      "there is no class " + Quoted(text) +
                          DidYouMean(std::string(text), {names_.begin(), names_.end()}));
    }
    const std::size_t number = found - names_.begin();
    if ((*given)[number])
      throw DataError(reader_.name(), line, "class " + Quoted(text) + " has a second " + what);
    (*given)[number] = true;
    return number;
  }

  void RequireAll(const std::vector<bool>& given, const std::string& what) const {
    const auto missing = std::find(given.begin(), given.end(), false);
    if (missing == given.end()) return;
    throw DataError(reader_.name(), reader_.line_number(),
                    "class " + Quoted(names_[missing - given.begin()]) + " has no " + what);
  }

  LineReader reader_;
  const std::vector<std::string>& names_;
  std::vector<double> costs_;
  std::vector<std::size_t> columns_;  // the class of each column
};

}  // namespace

std::vector<double> ReadClassCosts(const std::string& path,
                                   const std::vector<std::string>& class_names) {
  return CostReader(path, class_names).Read();
}

}  // namespace slackline::internal
