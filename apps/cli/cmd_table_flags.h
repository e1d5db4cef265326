// SPDX-License-Identifier: BSD-3-Clause
//
// How the commands that read tables (CSV, TSV) are told to read their cells. Part of the program
// only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/common/choice.h>

namespace slackline::internal::program {

/// Adds --separator.
void RegisterSeparator(Command* app, std::string* separator);

/// The options of training on a table: --separator, --categories, --decimal-comma.
struct CellFlags {
  std::string separator;
  std::string categories;
  bool decimal_comma = false;

  void Register(Command* app);
  bool given() const { return !separator.empty() || !categories.empty() || decimal_comma; }
  /// Sets the reading options of these names. Throws DataError.
  template <class ReadOptions>
  void SetIn(ReadOptions* options) const {
    options->separator = ReadSeparator(separator);
    options->categories = categories;
    options->decimal_comma = decimal_comma;
  }
  /// Appends the values that are given, by name, for the record of a model.
  void AddTo(std::vector<std::pair<std::string, std::string>>* options) const;
};

}  // namespace slackline::internal::program
