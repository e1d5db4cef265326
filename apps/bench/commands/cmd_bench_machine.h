// SPDX-License-Identifier: BSD-3-Clause
//
// Where figures were measured: without it they mean nothing.
#pragma once

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// Model of the processor, number of cores, bytes of memory, system; null for what the system does
/// not tell.
Json MachineJson();
/// Compiler, its flags, build type, and the optional libraries.
Json BuildJson();
/// Now, as 2026-01-31T12:00:00Z.
std::string DateText();

}  // namespace slackline::internal::program
