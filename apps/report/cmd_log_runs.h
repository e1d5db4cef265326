// SPDX-License-Identifier: BSD-3-Clause
//
// Reads logs of training (`train --log`) for `slackline report`. Part of the program only.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// A file and its text.
struct RunText {
  std::string path;
  std::string text;
};

/// The data that a page of curves draws:
///   logs      true
///   files     per file its name, and `source`: the program that wrote it
///   problems  one, with all runs of all logs: a row for each, under `learners`
/// A log of several values of λ has one run per value; a truncated run has the checks up to its
/// end. Of a curve with more than a thousand checks, all of the first hundred passes are kept, then
/// one whenever the number of passes has grown by one per cent. Throws DataError with file and line
/// on lines that are not JSON, unknown events, checks outside a run, and members that are missing
/// or of the wrong type; and when a log has no checks.
Json ReadLogs(const std::vector<RunText>& logs);

}  // namespace slackline::internal::program
