// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of slackline-bench.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::bench {

/// Adds the options to the program. Parsing sets *action to the comparison.
void AddComparison(program::Command* root, program::Action* action);

}  // namespace slackline::internal::bench
