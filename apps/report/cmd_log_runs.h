// SPDX-License-Identifier: BSD-3-Clause
//
// Logs of training (`train --log`), read back for `slackline report`. Part of the program only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/report/cmd_report_runs.h>

namespace slackline::internal::program {

/// Whether a text looks like a log: an object whose first member is "event".
bool LooksLikeLog(std::string_view text);

/// All runs of all logs as one problem, in the form of ReadBenchRuns (cmd_report_runs.h) with
///   logs   true: there are no command lines, machines and settings
/// A log of several values of λ has a run for each; a run that was cut off has the checks up to
/// there. Long curves are thinned. Throws DataError with file and line on lines that are no JSON,
/// events that are not known, checks outside of a run and members that are missing or of the wrong
/// kind, and when a log has no check.
Json ReadLogs(const std::vector<RunText>& logs);

}  // namespace slackline::internal::program
