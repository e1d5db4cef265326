// SPDX-License-Identifier: BSD-3-Clause
//
// The standard input, for ranks that read data together. mpirun gives it to rank 0 alone, and it
// can be read only once. But ranks first find the borders between their records, and then read
// these records.
#pragma once

#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Whether ranks on the machine of rank 0 may open the copy of rank 0.
enum class CopyAccess { kSameMachine, kNobody };

/// Copies the standard input of rank 0 to a file without a name in the folder TMPDIR (/tmp). This
/// file becomes the standard input of all ranks on the machine of rank 0; every other rank gets a
/// copy of its own. Afterwards /dev/stdin can be opened any number of times, and is read from its
/// beginning each time. The file is gone when the processes have ended. Memory: a few megabytes.
///
/// All ranks must call this function before any of them reads from its standard input. Throws
/// DataError on all of them where reading or writing fails on one.
void ShareStandardInput(Ranks& ranks, CopyAccess access = CopyAccess::kSameMachine);

}  // namespace slackline::internal
