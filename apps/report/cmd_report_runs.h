// SPDX-License-Identifier: BSD-3-Clause
//
// The results of `slackline bench --out`, read back for `slackline report`.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// Curves of more checks than this are thinned: all of the first hundred passes, then one for each
/// percent of passes more.
inline constexpr std::size_t kMostPoints = 1000;

/// A file and its text.
struct RunText {
  std::string path;
  std::string text;
};

/// What a page draws, from one or more files, each checked:
///   files     per file: its name, command line, date, machine, build, settings
///   problems  those of all files; those of the same name, sizes and figure are one, with the
///             learners of all of them
/// Throws DataError with the file (and for text that is no JSON its line) when a file is not such a
/// file, or has curves whose columns differ in length or are no numbers.
Json ReadBenchRuns(const std::vector<RunText>& runs);

}  // namespace slackline::internal::program
