// SPDX-License-Identifier: BSD-3-Clause
//
// Files that the build embeds in the program (cmake/EmbedFile.cmake) for the pages of `slackline
// report`.
#pragma once

#include <string_view>

namespace slackline::internal::program {

std::string_view ChartLibrary();  ///< third_party/chart.js/chart.umd.js
std::string_view ChartLicence();  ///< its licence
std::string_view ReportScript();  ///< apps/report/report.js
std::string_view CurveScript();   ///< apps/report/curves.js
std::string_view ModelScript();   ///< apps/report/model.js
std::string_view SelfTest();      ///< apps/report/selftest.js
std::string_view ReportStyle();   ///< apps/report/report.css

}  // namespace slackline::internal::program
