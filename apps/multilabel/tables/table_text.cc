// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/table_text.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kMostNamedColumns = 8;

bool EqualInAnyCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

bool Take(std::string_view* text, std::string_view characters) {
  if (text->empty() || characters.find(text->front()) == std::string_view::npos) return false;
  text->remove_prefix(1);
  return true;
}

/// Removes a date from the front.
bool TakeDate(std::string_view* text) {
  const std::size_t first = TakeDigits(text, 4).size();
  const char separator = text->empty() ? '\0' : text->front();
  if ((first != 1 && first != 2 && first != 4) || !Take(text, "-/.")) return false;
  const std::string_view same(&separator, 1);
  if (TakeDigits(text, 2).empty() || !Take(text, same)) return false;
  const std::size_t last = TakeDigits(text, 4).size();
  if (first == 4) return last == 1 || last == 2;
  return last == 4 || (last == 2 && separator == '/');
}

/// Removes a time from the front: 12:30, 12:30:05.5.
bool TakeTime(std::string_view* text) {
  if (TakeDigits(text, 2).empty() || !Take(text, ":") || TakeDigits(text, 2).size() != 2)
    return false;
  if (!Take(text, ":")) return true;
  if (TakeDigits(text, 2).size() != 2) return false;
  return !Take(text, ".,") || !TakeDigits(text, 9).empty();
}

/// Whether the rest is empty, PM, AM or an offset from universal time.
bool EndsTime(std::string_view text) {
  text = Trimmed(text);
  if (text.empty() || EqualInAnyCase(text, "am") || EqualInAnyCase(text, "pm") ||
      EqualInAnyCase(text, "z"))
    return true;
  if (!Take(&text, "+-") || TakeDigits(&text, 2).empty()) return false;
  Take(&text, ":");
  TakeDigits(&text, 2);
  return text.empty();
}

}  // namespace

bool IsMissingText(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords = {"", "na", "n/a", "nan", "?"};
  return text.size() <= 3 && std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           return EqualInAnyCase(text, word);
         });
}

bool IsMissingNumber(std::string_view text) {
  constexpr std::array<std::string_view, 22> kWords = {
      "null",         "none", "nil",     "-",       "--",      ".",       "#n/a",
      "#n/a n/a",     "#na",  "<na>",    "-nan",    "1.#ind",  "-1.#ind", "1.#qnan",
      "-1.#qnan",     "\\n",  "missing", "unknown", "#value!", "#div/0!", "#null!",
      "not available"};
  return IsMissingText(text) ||
         std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return EqualInAnyCase(text, word); });
}

CellKind ParseCell(std::string_view text, double* value) {
  if (ParseNumber(text, value))
    return std::abs(*value) <= kLargestValue ? CellKind::kNumber : CellKind::kTooLarge;
  std::string_view rest = text;
  Take(&rest, "+-");
  if (EqualInAnyCase(rest, "inf") || EqualInAnyCase(rest, "infinity")) return CellKind::kNotFinite;
  if (rest.empty() || rest.front() < '0' || rest.front() > '9') return CellKind::kText;
  // A number whose exponent is out of range is infinite, or rounds to 0.
  double ignored = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), ignored);
  const bool whole = result.ptr == rest.data() + rest.size();
  return whole && result.ec == std::errc::result_out_of_range ? CellKind::kNotFinite
                                                              : CellKind::kText;
}

CellKind ParseNumberCell(std::string_view text, NumberForm form, double* value) {
  if (!form.plain()) {
    if (const std::optional<double> number = ParseForm(text, form)) {
      *value = *number;
      return std::abs(*number) <= kLargestValue ? CellKind::kNumber : CellKind::kTooLarge;
    }
  }
  return ParseCell(text, value);
}

bool LooksLikeDate(std::string_view text) {
  std::string_view rest = text;
  if (TakeDate(&rest)) {
    if (rest.empty()) return true;
    return Take(&rest, " T") && TakeTime(&rest) && EndsTime(rest);
  }
  rest = text;
  return TakeTime(&rest) && EndsTime(rest);
}

bool HasDecimalComma(std::string_view text) {
  Take(&text, "+-");
  return !TakeDigits(&text, 15).empty() && Take(&text, ",") && !TakeDigits(&text, 15).empty() &&
         text.empty();
}

std::string ColumnCountsText(const std::string& noun,
                             const std::vector<std::pair<std::string, Offset>>& counts) {
  Offset total = 0;
  std::string names;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    total += counts[k].second;
    if (k >= kMostNamedColumns) continue;
    names +=
        (k > 0 ? ", " : "") + Printable(counts[k].first) + " " + std::to_string(counts[k].second);
  }
  if (counts.size() > kMostNamedColumns)
    names += ", and " + std::to_string(counts.size() - kMostNamedColumns) + " more";
  return Count(total, noun) + " in " + Count(static_cast<Offset>(counts.size()), "column") + " (" +
         names + ")";
}

void AddMissingNotes(const std::vector<std::pair<std::string, Offset>>& numeric,
                     const std::vector<std::pair<std::string, Offset>>& categorical,
                     std::vector<std::string>* notes) {
  const std::string noun = "missing value";
  if (!numeric.empty())
    notes->push_back(ColumnCountsText(noun, numeric) + " replaced by the training mean");
  if (!categorical.empty())
    notes->push_back(ColumnCountsText(noun, categorical) + " counted as no category");
}

}  // namespace slackline::internal
