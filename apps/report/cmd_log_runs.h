// SPDX-License-Identifier: BSD-3-Clause
//
// Reads logs of training (`train --log`) for `slackline report`. Part of the program only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/report/cmd_report_runs.h>

namespace slackline::internal::program {

/// Whether a text looks like a log, which is an object whose first member is "event".
bool LooksLikeLog(std::string_view text);

/// All runs of all logs as one problem, in the format of ReadBenchRuns (cmd_report_runs.h) with
///   logs   true: command lines, machines and settings are absent
/// A log of several values of λ has one run per value; a truncated run has the checks up to its
/// end. Long curves are thinned. Throws DataError with file and line on lines that are not JSON,
/// unknown events, checks outside a run, and members that are missing or of the wrong type; and
/// when a log has no checks.
Json ReadLogs(const std::vector<RunText>& logs);

}  // namespace slackline::internal::program
