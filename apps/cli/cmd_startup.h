// SPDX-License-Identifier: BSD-3-Clause
//
// What the process needs before it does anything else.
#pragma once

namespace slackline::internal::program {

/// To be called first in main:
/// - Standard streams that the parent process has closed are opened, so that no file that is opened
///   later takes the place of one and receives messages. Reading from and writing to such a stream
///   still fails, but messages to a closed standard error go nowhere.
/// - A limit on the length of files (ulimit -f) makes writing fail instead of ending the process.
/// - The stack is grown to what the program uses, which later may fail (ulimit -v) by a signal
///   only.
/// - Where memory runs out, std::bad_alloc is thrown with some memory set free for what destructors
///   allocate; where they fail all the same, the process ends with code 1 and a message.
void PrepareProcess();

}  // namespace slackline::internal::program
