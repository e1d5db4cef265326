// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory is available, so that work that cannot fit is refused before it starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Bytes of memory of the machine; +∞ when unknown.
double PhysicalMemory();

/// Bytes of memory that the control groups of this process leave to it: the limit minus the memory
/// in use, the least of this difference over its groups and their ancestors. File pages do not
/// count as used, since the system reclaims them. Reads version 2 (memory.max, and memory.high,
/// above which processes are slowed down) and version 1 (memory.limit_in_bytes). +∞ without groups
/// or limits. `root` replaces the root folder.
double ControlGroupMemory(const std::string& root = "/");

/// What a control group leaves to all of its processes together.
struct GroupMemory {
  /// The same number for all processes in the group, also in containers, where they see other
  /// paths; different for every other group of the machine.
  std::uint64_t group = 0;
  double bytes = 0;
};
/// The control groups of this process and their ancestors that have a limit.
std::vector<GroupMemory> LimitedGroups(const std::string& root = "/");

/// Bytes of memory that this process can use: the least of the physical memory, the limit of the
/// process's address space and what its control groups leave. +∞ when none is known.
double UsableMemory();

/// "512 bytes", "3.5 MB", "96 GB" (powers of 1000, three digits).
std::string BytesText(double bytes);

/// Memory for several processes of a machine together.
struct MemoryShare {
  double bytes = 0;
  int processes = 1;
};
/// What the ranks that share memory with this rank may use. Of the machine's memory, the limits of
/// control groups, and the address space of a process, it is the one that leaves least to each rank
/// that shares it. Ranks with limits of their own, as in containers, are not counted together for
/// these limits. All ranks must call it. {UsableMemory(), 1} for one process.
MemoryShare SharedMemory(Ranks& ranks, const std::string& root = "/");

/// "training needs about 96 GB of memory, but there are only 23.5 GB" when `bytes` for each process
/// are more than there are, else "". With several processes the text begins "4 processes of this
/// machine need about 96 GB of memory for training, but".
std::string MemoryExcess(double bytes, const MemoryShare& memory);
/// The same for this process alone, with UsableMemory().
std::string MemoryExcess(double bytes);

}  // namespace slackline::internal
