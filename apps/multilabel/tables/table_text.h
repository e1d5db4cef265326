// SPDX-License-Identifier: BSD-3-Clause
//
// What the text of a table's cell is: missing, a number, a date, a label.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// Nothing, NA, N/A, NaN (in any case) or ?.
bool IsMissingText(std::string_view text);

/// A label's value: 0, 1, true, false (in any case; 0 and 1 also as 0.0 and 1.0), or missing, which
/// is −1 (not known). Nothing for other texts.
std::optional<std::int8_t> ParseLabelText(std::string_view text);

/// The same; else throws DataError that names the column.
std::int8_t ReadLabelText(const std::string& file, long line, const std::string& column,
                          std::string_view text);

enum class CellKind {
  kNumber,  ///< a finite decimal number within ±1e50
  kTooLarge,
  kNotFinite,  ///< inf, infinity (in any case, with or without sign), numbers that no double holds
  kText,
};
/// *value is set for kNumber.
CellKind ParseCell(std::string_view text, double* value);

/// 2024-01-31, 2024/1/31, 31.01.2024, 01/31/2024, 1/31/24, alone or with a time behind it (after a
/// blank or T), or a time alone: 12:30, 12:30:05.5, 3:30 PM.
bool LooksLikeDate(std::string_view text);
/// 1,5 or -1234,56.
bool HasDecimalComma(std::string_view text);

/// "37 missing values in 3 columns (age 20, height 12, weight 5)": the noun (as Count takes it) and
/// the columns with their counts, which must be positive. Not more than eight columns are named.
std::string ColumnCountsText(const std::string& noun,
                             const std::vector<std::pair<std::string, Offset>>& counts);

/// Appends sentences about missing values of numeric and of categorical columns, where there are
/// any.
void AddMissingNotes(const std::vector<std::pair<std::string, Offset>>& numeric,
                     const std::vector<std::pair<std::string, Offset>>& categorical,
                     std::vector<std::string>* notes);

}  // namespace slackline::internal
