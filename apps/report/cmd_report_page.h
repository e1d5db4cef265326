// SPDX-License-Identifier: BSD-3-Clause
//
// The page of `slackline report`.
#pragma once

#include <string>
#include <string_view>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// An HTML page that holds everything it needs, and asks for nothing else: the data (ReadBenchRuns,
/// ReadLogs or ModelPageData), the library that draws (Chart.js), and the script that uses it.
/// Whatever texts the data have, they stay texts.
std::string ReportPage(const Json& data, std::string_view title);

}  // namespace slackline::internal::program
