// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory is available, so that work that cannot fit is refused before it starts.
#pragma once

#include <string>

namespace slackline::internal {

/// Bytes of memory of the machine; +∞ when unknown.
double PhysicalMemory();

/// Bytes of memory that the control groups of this process leave to it: the least, over its groups
/// and their ancestors, of the limit minus the memory in use. File pages do not count as used,
/// since the system reclaims them. Reads version 2 (memory.max, and memory.high, above which
/// processes are slowed down) and version 1 (memory.limit_in_bytes). +∞ without groups or limits.
/// `root` takes the place of the root folder.
double ControlGroupMemory(const std::string& root = "/");

/// Bytes of memory that this process can use: the least of the physical memory, the limit of the
/// process's address space and what its control groups leave. +∞ when none is known.
double UsableMemory();

/// "512 bytes", "3.5 MB", "96 GB" (powers of 1000, three digits).
std::string BytesText(double bytes);

/// "training needs about 96 GB of memory, but there are only 23.5 GB" when `bytes` are more than
/// UsableMemory(), else "". processes: how many processes of this machine need as much at the same
/// time (Ranks::ranks_on_this_machine); the text then begins "4 processes of this machine need
/// about 96 GB of memory for training, but".
std::string MemoryExcess(double bytes, int processes = 1);

}  // namespace slackline::internal
