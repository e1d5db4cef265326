// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of problems and of learners on the command line: NAME[:option=value,option=value],…
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal::bench {

struct ListEntry {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;

  std::string text() const;  ///< as it is given in a list
};

/// The entries between commas, without surrounding blanks; of equal entries the first alone. A
/// piece with = and without a colon is one more option of the entry before it. Throws DataError on
/// an option without =.
std::vector<ListEntry> SplitEntries(std::string_view list);

/// A name for an entry with options.
struct NamedEntry {
  std::string_view name;
  std::string_view entry;
};
/// The entry; where it has one of the names, the entry behind the name, with the given options on
/// top.
ListEntry WithoutName(ListEntry entry, std::span<const NamedEntry> names);

/// Values of the options of one entry for the code that knows their names and types.
class EntryOptions {
 public:
  explicit EntryOptions(const ListEntry& entry) : entry_(entry), read_(entry.options.size()) {}

  /// Stores the value of the option, if it is given; of several values the last one. Throws
  /// DataError on bad values: a count is a whole number ≥ `least`, a flag is on or off.
  void Read(std::string_view name, Index* count, Index least = 1);
  void Read(std::string_view name, double* number);
  void Read(std::string_view name, bool* flag);
  void Read(std::string_view name, std::string* text);

  /// Throws DataError for an option that no Read has asked for.
  void RequireAllRead() const;

 private:
  /// The value, or nullptr.
  const std::string* Find(std::string_view name);
  [[noreturn]] void Refuse(std::string_view name, const std::string& value,
                           const char* allowed) const;

  const ListEntry entry_;
  std::vector<char> read_;  // of each option, whether Read has asked for it
  std::vector<std::string> known_;
};

}  // namespace slackline::internal::bench
