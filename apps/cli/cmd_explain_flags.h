// SPDX-License-Identifier: BSD-3-Clause
//
// --explain of the commands that predict, and the output of parts of scores. Part of the program
// only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/common/score_parts.h>

namespace slackline::internal::program {

struct ExplainFlags {
  std::string explain;
  std::string top = "10";
  bool json = false;

  /// Requires that --output is registered, because --explain excludes it. noun: "example".
  void Register(Command* app, const std::string& noun);
  bool wanted() const;
  /// The value of --top. Needs no data. Throws DataError on bad values.
  Index ReadTop() const;
  /// The numbers (from 0) of the examples to explain, of `count` examples. With count < 0, only
  /// does the checks that need no data, and returns nothing. Throws DataError on bad values.
  std::vector<Index> ReadNumbers(Index count, const std::string& source) const;

 private:
  Option* option_ = nullptr;
};

/// Appends a line per feature with score, weight and value.
void AppendParts(const ScoreSum& sum, std::string* text);
/// The nonzero terms of a sum, or the total alone: "1.2 = features 1 + constant 0.2".
std::string SumText(double total, const std::vector<std::pair<std::string, double>>& terms);
Json PartsJson(const ScoreSum& sum);

}  // namespace slackline::internal::program
