// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory there is, so that what cannot fit is refused before it is begun.
#pragma once

#include <string>

namespace slackline {

/// Bytes of memory that the machine has; +∞ when that is not known.
double PhysicalMemory();

/// Bytes of memory that this process can have: the physical memory of the machine, or the limit of the process's
/// address space where that is smaller. +∞ when neither is known.
double UsableMemory();

/// "512 bytes", "3.5 MB", "96 GB" (powers of 1000, three digits).
std::string BytesText(double bytes);

/// "training needs about 96 GB of memory, and there are 23.5 GB" when `bytes` are more than UsableMemory(), else "".
std::string MemoryExcess(double bytes);

}  // namespace slackline
