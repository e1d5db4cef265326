// SPDX-License-Identifier: BSD-3-Clause
//
// The machine and build of a measurement; measured figures are meaningless without them.
#pragma once

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::bench {

/// Processor model, number of cores, bytes of memory, operating system; null where the system does
/// not report a value.
program::Json MachineJson();
/// Compiler, compiler flags, build type and optional libraries.
program::Json BuildJson();
/// The current time, in the form 2026-01-31T12:00:00Z.
std::string DateText();

}  // namespace slackline::internal::bench
