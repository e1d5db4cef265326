// SPDX-License-Identifier: BSD-3-Clause
//
// Interrupts of training by the user.
#pragma once

#include <atomic>

namespace slackline::internal::program {

/// From now on SIGINT, SIGTERM and SIGHUP only store their number in the flag that is returned
/// (0 = none yet). A second SIGINT or SIGTERM ends the process at once; a terminal that goes away
/// sends SIGHUP twice, which counts as once. SIGINT and SIGTERM that the parent process had
/// switched off are switched on, so that `kill -INT` also reaches a job in the background of a
/// script; SIGHUP stays off where it is off, which is what `nohup` is for. A pipe that is closed by
/// its reader no longer ends the process: a model is not lost because a log viewer was closed.
const std::atomic<int>* CatchInterrupts();

}  // namespace slackline::internal::program
