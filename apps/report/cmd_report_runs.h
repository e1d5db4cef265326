// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the results of `slackline bench --out` for `slackline report`.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// Curves with more checks than this are thinned: all of the first hundred passes are kept, then
/// one whenever the number of passes has grown by one per cent.
inline constexpr std::size_t kMostPoints = 1000;

/// A file and its text.
struct RunText {
  std::string path;
  std::string text;
};

/// The data that a page draws, from one or more files, each of them checked:
///   files     per file: its name, command line, date, machine, build, settings
///   problems  those of all files. Problems with the same name, sizes and figure are merged and
///             have the learners of all of them.
/// Throws DataError with the file (and the line if the text is not JSON) when a file is not a
/// result of `bench`, or has curves whose columns differ in length or are not numbers.
Json ReadBenchRuns(const std::vector<RunText>& runs);

}  // namespace slackline::internal::program
