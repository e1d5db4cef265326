// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/csv_header.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include <slackline/apps/multilabel/tables/label_words.h>
#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kMostSuggestedColumns = 5;

/// How many of these columns are among the names between the separators, without quotes.
std::ptrdiff_t CountNames(std::string_view line, char separator,
                          const std::vector<std::string>& wanted) {
  std::vector<std::string_view> names;
  SplitViews(line, separator, &names);
  return std::count_if(names.begin(), names.end(), [&](std::string_view name) {
    name = Trimmed(name);
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"')
      name = name.substr(1, name.size() - 2);
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  });
}

/// The columns that the options or the model name.
std::vector<std::string> WantedNames(const MultiLabelReadOptions& options) {
  std::vector<std::string> wanted;
  if (options.table) {
    for (const TableColumn& column : options.table->columns) wanted.push_back(column.name);
  }
  if (!options.labels_in.empty()) wanted.push_back(options.labels_in);
  for (const std::string* list : {&options.label_columns, &options.ignore_columns}) {
    if (list->empty()) continue;
    const std::vector<std::string> names = SplitCsvText(*list);
    wanted.insert(wanted.end(), names.begin(), names.end());
  }
  return wanted;
}

/// The character after "sep=" if that is all of the line.
std::optional<char> DeclaredSeparator(std::string_view line) {
  const bool declares = line.size() == 5 && LowerCase(line.substr(0, 4)) == "sep=";
  return declares ? std::optional(line.back()) : std::nullopt;
}

bool IsNumberOrMissing(const std::string& text) {
  double ignored = 0;
  return IsMissingText(text) || ParseNumber(text, &ignored);
}

}  // namespace

char TableSeparator(std::string_view line, const MultiLabelReadOptions& options) {
  if (options.separator != '\0') return options.separator;
  if (const std::optional<char> declared = DeclaredSeparator(line)) return *declared;
  if (options.format == MultiLabelFormat::kTsv) return '\t';
  const std::vector<std::string> wanted = WantedNames(options);
  const char found = FindSeparator(line);
  char best = found == '\0' ? ',' : found;
  std::ptrdiff_t most = CountNames(line, best, wanted);
  std::string candidates = ",;\t";
  if (options.table) candidates += options.table->separator;
  for (const char separator : candidates) {
    const std::ptrdiff_t count = CountNames(line, separator, wanted);
    if (count <= most) continue;
    most = count;
    best = separator;
  }
  return best;
}

CsvHeader ReadCsvHeader(LineReader* reader, std::string_view line, char separator) {
  if (DeclaredSeparator(line) && !reader->Next(&line))
    throw DataError(reader->name(), 0, "there is no header after the line " + Quoted("sep="));
  CsvRecords records(reader, separator);
  records.Begin(line);
  CsvHeader header;
  header.file = reader->name();
  header.separator = separator;
  header.line = records.line();
  const auto& fields = records.fields();
  header.names.assign(fields.begin(), fields.end());
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t k = 0; k < header.names.size(); ++k) {
    if (header.names[k].empty()) continue;
    const auto [other, is_new] = seen.emplace(header.names[k], k);
    if (is_new) continue;
    throw DataError(header.file, header.line,
                    "columns " + std::to_string(other->second + 1) + " and " +
                        std::to_string(k + 1) + " have the same name, " + Quoted(header.names[k]));
  }
  return header;
}

void CheckHeaderIsThere(const CsvHeader& header) {
  if (!std::all_of(header.names.begin(), header.names.end(), IsNumberOrMissing)) return;
  throw DataError(header.file, header.line,
                  "the first line of a table must name its columns, but has only numbers: " +
                      Quoted(header.names.front()) + (header.names.size() > 1 ? ", …" : ""));
}

void CheckSameHeader(const CsvHeader& header, const CsvHeader& other) {
  const auto [mine, its] = std::mismatch(header.names.begin(), header.names.end(),
                                         other.names.begin(), other.names.end());
  const bool has_mine = mine != header.names.end();
  const bool has_its = its != other.names.end();
  if (!has_mine && !has_its) return;
  const std::string number = std::to_string(mine - header.names.begin() + 1);
  throw DataError(
      other.file, other.line,
      (has_its ? "column " + number + " is " + Quoted(*its) : "there is no column " + number) +
          ", but " + header.file +
          (has_mine ? " has " + Quoted(*mine) + " there" : " has no such column"));
}

void CheckRow(const std::string& source, const CsvHeader& header, const CsvRecords& records,
              std::size_t rows_before) {
  const std::vector<std::string_view>& fields = records.fields();
  const std::size_t columns = header.names.size();
  const bool one_more = fields.size() == columns + 1 && fields.back().empty();
  const bool one_less = fields.size() + 1 == columns && header.names.back().empty();
  if (fields.size() != columns && !one_more && !one_less) {
    throw DataError(source, records.line(),
                    "the row has " + Count(static_cast<Offset>(fields.size()), "value") +
                        ", but the header (line " + std::to_string(header.line) + ") has " +
                        Count(static_cast<Offset>(columns), "column"));
  }
  if (rows_before >= std::numeric_limits<Index>::max() - 1)
    throw DataError(source, records.line(), "too many examples");
}

void FailWithoutClassColumn(const CsvHeader& header) {
  throw DataError(
      header.file, header.line,
      "a table (CSV, TSV) does not say which column has the classes: pass --label-column "
      "with its name or position, such as --label-column " +
          Quoted(header.names.back()) +
          " or --label-column=-1 for the last column (if "
          "it is not a table, pass --format)");
}

void FailWithoutLabelColumns(const CsvHeader& header, LineReader* reader) {
  CsvRecords records(reader, header.separator);
  const std::size_t columns = header.names.size();
  std::size_t first = 0;  // the last columns look like labels from this one on
  bool any_row = false;
  try {
    for (; records.Next() && records.fields().size() == columns; any_row = true) {
      for (std::size_t k = columns; k-- > first;) {
        if (ParseLabelWord(records.fields()[k])) continue;
        first = k + 1;
        break;
      }
    }
  } catch (const DataError&) {
    // The message below matters more: the file may not be a table at all.
  }
  std::string message =
      "a table (CSV, TSV) does not say which columns are labels: pass --label-columns LIST, a list "
      "of names, patterns such as 'tag_*', or positions, or --labels-in COLUMN where one column "
      "lists the labels of each row";
  const std::size_t count = columns - first;
  if (any_row && count > 0 && first > 0) {
    std::string names;
    for (std::size_t k = first; k < columns && k < first + kMostSuggestedColumns; ++k)
      names += (k > first ? ", " : "") + Quoted(header.names[k]);
    if (count > kMostSuggestedColumns) names += ", …";
    message += count == 1
                   ? "; the last column, " + names + ", looks like one: --label-columns=-1"
                   : "; the last " + std::to_string(count) + " columns, " + names +
                         ", look like labels: --label-columns=-" + std::to_string(count) + ":";
  }
  throw DataError(header.file, header.line, message + " (if it is not a table, pass --format)");
}

}  // namespace slackline::internal
