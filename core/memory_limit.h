// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory there is, so that what cannot fit is refused before it is begun.
#pragma once

#include <string>

namespace slackline::internal {

/// Bytes of memory that the machine has; +∞ when that is not known.
double PhysicalMemory();

/// Bytes of memory that the control groups of this process leave it: the least, over its groups and
/// those above them, of the limit minus what its processes hold. Pages of files do not count, for
/// the system takes them back. Version 2 (memory.max, and memory.high, above which processes crawl)
/// and version 1 (memory.limit_in_bytes). +∞ without groups or limits. `root` stands for the root
/// folder.
double ControlGroupMemory(const std::string& root = "/");

/// Bytes of memory that this process can have: the least of the physical memory of the machine, the
/// limit of the process's address space and what its control groups leave it. +∞ when none is
/// known.
double UsableMemory();

/// "512 bytes", "3.5 MB", "96 GB" (powers of 1000, three digits).
std::string BytesText(double bytes);

/// "training needs about 96 GB of memory, and there are 23.5 GB" when `bytes` are more than
/// UsableMemory(), else "".
std::string MemoryExcess(double bytes);

}  // namespace slackline::internal
