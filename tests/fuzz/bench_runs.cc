// SPDX-License-Identifier: BSD-3-Clause
//
// Results of `slackline bench`, as `slackline report` reads them.
#include <slackline/apps/cmd_report_runs.h>

#include <nlohmann/json.hpp>

#include "tests/fuzz/target.h"

namespace slackline::fuzz {
namespace {

const FuzzTarget kRuns(
    {"bench_runs", [](std::string_view text) { program::ReadBenchRuns({PathOf(text)}); }, {}, 4000});

}  // namespace
}  // namespace slackline::fuzz
