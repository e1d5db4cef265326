// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/csv_records.h>

#include <algorithm>
#include <array>

#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

/// Whether the end of a line is inside quotes; `inside`: whether its beginning is.
bool EndsInside(std::string_view line, char separator, bool inside) {
  bool at_start = !inside;  // only blanks since the last separator
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (inside) {
      if (c != '"') continue;
      if (k + 1 < line.size() && line[k + 1] == '"') {
        ++k;
      } else {
        inside = false;
      }
    } else if (c == separator) {
      at_start = true;
    } else if (c == '"' && at_start) {
      inside = true;
      at_start = false;
    } else if (!IsBlank(c)) {
      at_start = false;
    }
  }
  return inside;
}

/// Whether the line is no record.
bool IsWithoutText(std::string_view line, char separator) {
  return Trimmed(line).empty() && line.find(separator) == std::string_view::npos;
}

/// Appends the quoted value whose opening quote is at `at`. Returns the position after its closing
/// quote, which must exist.
std::size_t Unquote(std::string_view text, std::size_t at, std::string* value) {
  for (++at;; ++at) {
    if (text[at] == '"') {
      ++at;
      if (at >= text.size() || text[at] != '"') return at;
    }
    value->push_back(text[at]);
  }
}

/// Splits a complete record. Returns an error message, or "". The fields are views of *unquoted.
std::string SplitRecord(std::string_view text, char separator, std::string* unquoted,
                        std::vector<std::string_view>* fields) {
  unquoted->clear();
  unquoted->reserve(text.size());  // no reallocation, so that views stay valid
  fields->clear();
  for (std::size_t at = 0;; ++at) {
    while (at < text.size() && text[at] != separator && IsBlank(text[at])) ++at;
    const std::size_t begin = unquoted->size();
    const bool quoted = at < text.size() && text[at] == '"';
    if (quoted) at = Unquote(text, at, unquoted);
    const std::size_t end = std::min(text.find(separator, at), text.size());
    const std::string_view rest = Trimmed(text.substr(at, end - at));
    if (quoted && !rest.empty()) return "text after a closing quote: " + Quoted(rest);
    unquoted->append(rest);
    fields->emplace_back(unquoted->data() + begin, unquoted->size() - begin);
    if (end == text.size()) return {};
    at = end;
  }
}

}  // namespace

char FindSeparator(std::string_view line) {
  constexpr std::array kSeparators = {',', ';', '\t'};
  std::array<std::size_t, kSeparators.size()> counts{};
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    for (std::size_t k = 0; k < kSeparators.size() && !inside; ++k)
      counts[k] += c == kSeparators[k] ? 1 : 0;
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? '\0' : kSeparators[most - counts.begin()];
}

LineRole RoleOfTableLine(std::string_view line, char separator, bool open) {
  if (!open && IsWithoutText(line, separator)) return LineRole::kNothing;
  if (line.find('"') != std::string_view::npos) open = EndsInside(line, separator, open);
  return open ? LineRole::kPart : LineRole::kEnd;
}

bool CsvRecords::Next() {
  std::string_view line;
  do {
    if (!reader_.Next(&line)) return false;
  } while (IsWithoutText(line, separator_));
  Begin(line);
  return true;
}

void CsvRecords::Begin(std::string_view line) {
  line_ = reader_.line_number();
  if (line.find('"') == std::string_view::npos) {
    SplitViews(line, separator_, &fields_);
    for (std::string_view& field : fields_) field = Trimmed(field);
    return;
  }
  text_.assign(line);
  bool inside = EndsInside(line, separator_, false);
  while (inside && reader_.Next(&line) && !reader_.between_parts()) {
    text_.append("\n").append(line);
    if (text_.size() > reader_.longest_line())
      throw DataError(reader_.name(), line_,
                      "the record is longer than " +
                          BytesText(static_cast<double>(reader_.longest_line())) +
                          ": a closing quote is missing");
    inside = EndsInside(line, separator_, true);
  }
  if (inside) throw DataError(reader_.name(), line_, "the closing quote of a value is missing");
  const std::string error = SplitRecord(text_, separator_, &unquoted_, &fields_);
  if (!error.empty()) throw DataError(reader_.name(), line_, error);
}

std::vector<std::string> SplitCsvText(const std::string& text) {
  if (EndsInside(text, ',', false)) throw DataError("a closing quote is missing: " + Quoted(text));
  std::string unquoted;
  std::vector<std::string_view> fields;
  const std::string error = SplitRecord(text, ',', &unquoted, &fields);
  if (!error.empty()) throw DataError(error);
  return {fields.begin(), fields.end()};
}

}  // namespace slackline::internal
