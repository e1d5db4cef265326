// SPDX-License-Identifier: BSD-3-Clause
//
// What `slackline` and the program that compares learners (bench/) share around their commands.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

struct ProgramStart {
  const char* name;
  const char* description;
  /// Adds the commands or options of the program. Parsing, or this function, sets *action.
  void (*add)(Command* root, Action* action);
};

/// All that main does: prepares the process, parses the arguments, runs the action on all ranks,
/// and prints errors. Returns the exit code: 0 = done, 1 = an error of the program itself, or a
/// certificate that --verify refutes, 2 = bad input (arguments, files, models), or what the action
/// returns.
int RunMain(int argc, char** argv, const ProgramStart& start);

}  // namespace slackline::internal::program
