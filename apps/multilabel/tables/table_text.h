// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of text in a table's cells: missing, a number, a date. For labels see label_words.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/tables/number_form.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Whether the text is empty, NA, N/A, NaN (in any case) or ?.
bool IsMissingText(std::string_view text);
/// Whether the text stands for a missing value in a column of numbers: a text of IsMissingText, or
/// what pandas, R, Excel, SQL and people write there, such as NULL, None, -, #N/A, <NA>, missing,
/// unknown (in any case).
bool IsMissingNumber(std::string_view text);

enum class CellKind {
  kNumber,  ///< a finite decimal number within ±1e50
  kTooLarge,
  kNotFinite,  ///< inf, infinity (in any case, with or without sign), too large for a double
  kText,
};
/// Sets *value if the cell is a kNumber.
CellKind ParseCell(std::string_view text, double* value);

/// The same for a column of numbers of this form, in which plain numbers may stand as well.
CellKind ParseNumberCell(std::string_view text, NumberForm form, double* value);

/// Whether the text is a date such as 2024-01-31, 2024/1/31, 31.01.2024, 01/31/2024, 1/31/24, alone
/// or followed by a time (after a blank or T), or a time alone: 12:30, 12:30:05.5, 3:30 PM.
bool LooksLikeDate(std::string_view text);
/// Whether the text is a number such as 1,5 or -1234,56.
bool HasDecimalComma(std::string_view text);

/// "37 missing values in 3 columns (age 20, height 12, weight 5)", from the noun (as for Count) and
/// the columns with their counts, which must be positive. Names at most eight columns.
std::string ColumnCountsText(const std::string& noun,
                             const std::vector<std::pair<std::string, Offset>>& counts);

/// Appends sentences about missing values of numeric and of categorical columns, if there are any.
void AddMissingNotes(const std::vector<std::pair<std::string, Offset>>& numeric,
                     const std::vector<std::pair<std::string, Offset>>& categorical,
                     std::vector<std::string>* notes);

}  // namespace slackline::internal
