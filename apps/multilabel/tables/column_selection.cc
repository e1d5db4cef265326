// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/column_selection.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

/// Whether a pattern with * matches the whole text. Takes at most the product of the lengths.
bool Fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last *, and where its match ends so far
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// A position as a column number from 0; nullopt if the text is not an integer.
std::optional<Offset> Position(std::string_view text, Offset columns) {
  const bool from_right = !text.empty() && text.front() == '-';
  if (from_right) text.remove_prefix(1);
  Index number = 0;
  if (!ParseIndex(text, &number)) return std::nullopt;
  return from_right ? columns - number : Offset{number} - 1;
}

class ColumnSelector {
 public:
  ColumnSelector(const std::string& option, const std::vector<std::string>& names)
      : option_(option), names_(names), chosen_(names.size(), false) {}

  void Add(const std::string& item) {
    if (item.empty()) Fail("an empty item in the list of columns");
    if (AddName(item) || AddPattern(item) || AddPositions(item)) return;
    const std::vector<std::string_view> names(names_.begin(), names_.end());
    std::string advice = DidYouMean(item, names);
    if (const std::size_t dash = item.find('-', 1); advice.empty() && dash != std::string::npos) {
      const std::string range = item.substr(0, dash) + ":" + item.substr(dash + 1);
      if (item.find_first_not_of("-0123456789") == std::string::npos)
        advice = "; a range of positions is written " + range;
    }
    Fail("there is no column " + Quoted(item) + advice);
  }

  std::vector<Index> Columns() const {
    std::vector<Index> columns;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      if (chosen_[k]) columns.push_back(static_cast<Index>(k));
    }
    return columns;
  }

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(option_ + ": " + message);
  }

  bool AddName(const std::string& item) {
    const auto found = std::find(names_.begin(), names_.end(), item);
    if (found == names_.end()) return false;
    chosen_[found - names_.begin()] = true;
    return true;
  }

  bool AddPattern(const std::string& item) {
    if (item.find('*') == std::string::npos) return false;
    bool any = false;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (!Fits(item, names_[k])) continue;
      chosen_[k] = any = true;
    }
    if (!any) Fail("no column fits " + Quoted(item));
    return true;
  }

  bool AddPositions(const std::string& item) {
    const auto columns = static_cast<Offset>(names_.size());
    const std::size_t colon = item.find(':');
    const std::string_view text = item;
    const bool range = colon != std::string::npos;
    const std::string_view left = text.substr(0, colon);
    const std::string_view right = range ? text.substr(colon + 1) : left;
    if (range && left.empty() && right.empty()) return false;
    const auto first = left.empty() ? std::optional<Offset>(0) : Position(left, columns);
    const auto last = right.empty() ? std::optional<Offset>(columns - 1) : Position(right, columns);
    if (!first || !last) return false;
    for (const Offset position : {*first, *last}) {
      if (position >= 0 && position < columns) continue;
      Fail(Quoted(item) + " is out of range: there are " + Count(columns, "column") +
           ", numbered from 1 (from the right: from -1)");
    }
    if (*first > *last) Fail(Quoted(item) + " has no columns: its first column is after its last");
    for (Offset k = *first; k <= *last; ++k) chosen_[k] = true;
    return true;
  }

  const std::string& option_;
  const std::vector<std::string>& names_;
  std::vector<bool> chosen_;
};

}  // namespace

std::vector<Index> SelectColumns(const std::string& option, const std::string& list,
                                 const std::vector<std::string>& names) {
  ColumnSelector selector(option, names);
  std::vector<std::string> items;
  try {
    items = SplitCsvText(list);
  } catch (const DataError& error) {
    throw DataError(option + ": " + error.what());
  }
  for (const std::string& item : items) selector.Add(item);
  return selector.Columns();
}

}  // namespace slackline::internal
