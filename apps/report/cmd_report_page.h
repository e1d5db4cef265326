// SPDX-License-Identifier: BSD-3-Clause
//
// The page of `slackline report`.
#pragma once

#include <string>
#include <string_view>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// A self-contained HTML page that loads nothing else. It holds the data (from ReadLogs or
/// ModelPageData), the drawing library (Chart.js) and the script that uses it. Texts in
/// the data are never interpreted as HTML.
std::string ReportPage(const Json& data, std::string_view title);

}  // namespace slackline::internal::program
