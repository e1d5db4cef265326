// SPDX-License-Identifier: BSD-3-Clause
//
// Logs of training, as `slackline report` reads them.
#include <slackline/apps/report/cmd_log_runs.h>

#include <nlohmann/json.hpp>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

const FuzzTarget kLogs({"log_runs",
                        [](std::string_view text) {
                          program::ReadLogs({{"log", std::string(text)}});
                        },
                        {},
                        4000});

}  // namespace
}  // namespace slackline::internal::fuzz
