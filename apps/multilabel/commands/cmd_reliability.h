// SPDX-License-Identifier: BSD-3-Clause
//
// The report of `multilabel evaluate` on probabilities. Part of the program only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/multilabel/validation/reliability.h>

namespace slackline::internal::program {

/// Appends to the result of evaluate: entry "calibration" of the JSON, and a table.
void AddReliability(const Reliability& reliability, Json* json, std::string* table);

}  // namespace slackline::internal::program
