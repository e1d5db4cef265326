// SPDX-License-Identifier: BSD-3-Clause
//
// The help of the commands that train, which have some sixty options: --help shows the basic ones,
// --help-all all of them, both in groups. Part of the program only.
#pragma once

#include <slackline/apps/cli/cmd_parser.h>

namespace slackline::internal::program {

/// To be called after all options of `command` are registered. An option that is not one of
/// training and that this file does not name counts as a basic data option.
void GroupHelp(Command* command);

}  // namespace slackline::internal::program
