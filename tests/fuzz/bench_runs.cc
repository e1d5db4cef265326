// SPDX-License-Identifier: BSD-3-Clause
//
// Results of `slackline bench` and logs of training, as `slackline report` reads them.
#include <slackline/apps/report/cmd_report_runs.h>

#include <nlohmann/json.hpp>

#include <slackline/apps/report/cmd_log_runs.h>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

const FuzzTarget kRuns({"bench_runs",
                        [](std::string_view text) {
                          program::ReadBenchRuns({{"runs", std::string(text)}});
                        },
                        {},
                        4000});

const FuzzTarget kLogs({"log_runs",
                        [](std::string_view text) {
                          program::LooksLikeLog(text);
                          program::ReadLogs({{"log", std::string(text)}});
                        },
                        {},
                        4000});

}  // namespace
}  // namespace slackline::internal::fuzz
