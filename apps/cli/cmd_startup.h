// SPDX-License-Identifier: BSD-3-Clause
//
// Preparation of the process, before it does anything else.
#pragma once

namespace slackline::internal::program {

/// Exit code for bad arguments, files and models.
inline constexpr int kBadInput = 2;

/// To be called first in main:
/// - Opens standard streams that the parent process has closed. Otherwise a file opened later would
///   take the number of a stream and receive messages. Reading from and writing to such a stream
///   still fails, but messages to a closed standard error are lost.
/// - Makes writing fail at a limit on the length of files (ulimit -f), which would otherwise end
///   the process.
/// - Ends the process with code 2 and a message where a mapped file can no longer be read.
/// - Grows the stack to the size that the program uses. Under a limit (ulimit -v), growing it later
///   could only fail with a signal.
/// - Makes a lack of memory throw std::bad_alloc, after freeing some memory for destructors that
///   allocate. If a destructor fails all the same, the process ends with code 1 and a message.
void PrepareProcess();

}  // namespace slackline::internal::program
