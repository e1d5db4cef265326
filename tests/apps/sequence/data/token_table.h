// SPDX-License-Identifier: BSD-3-Clause
//
// Token tables for tests of templates.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>

namespace slackline::internal::test {

/// A table with one row per token and one column per text of a token. Requires equally long rows.
inline TokenTable Table(const std::vector<std::vector<std::string>>& rows) {
  TokenTable table;
  table.num_columns = static_cast<Index>(rows.at(0).size());
  for (const auto& row : rows) {
    for (const std::string& text : row) table.cells.push_back(table.texts.Add(text));
  }
  return table;
}

}  // namespace slackline::internal::test
