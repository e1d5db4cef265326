// SPDX-License-Identifier: BSD-3-Clause
//
// Interrupts of training by the user.
#pragma once

#include <atomic>

namespace slackline::internal::program {

/// After this call, SIGINT, SIGTERM and SIGHUP only store their number in the returned flag (0 =
/// none so far). A second SIGINT or SIGTERM, a fifth of a second later or more, ends the process at
/// once; earlier ones belong to the first, because `timeout` and mpirun send signals to the program
/// and to its process group. A closed terminal, too, sends SIGHUP twice, once from its shell and
/// once itself, so a second SIGHUP never ends the process. SIGINT and SIGTERM are enabled even if
/// the parent process ignored them, so that `kill -INT` reaches a background job of a script;
/// SIGHUP stays ignored if it was, as `nohup` intends. SIGPIPE is ignored: closing a log viewer
/// does not lose the model.
const std::atomic<int>* CatchInterrupts();

/// Thrown where an interrupt ends work that has nothing to write.
struct Interrupted {};

}  // namespace slackline::internal::program
