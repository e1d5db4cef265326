// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that are the processes of an MPI program (`mpirun -n 4 …`, `srun …`). Only the source of
// this file uses MPI, and only with the CMake option SLACKLINE_WITH_MPI.
#pragma once

#include <memory>
#include <string>

#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Whether this library was built with MPI.
bool HasMpi();

/// Whether a launcher of MPI programs has started this process, by its environment. A process that
/// was started without one need not initialise MPI, which takes a tenth of a second.
bool StartedByMpi();

/// How many processes the launcher has started, by its environment; 1 if it does not say.
int LaunchedProcesses();

/// How many processes srun has started that do not know each other, because it was not told to use
/// MPI. 1 where srun has not started this process, or has given it a terminal.
int TasksApart();

/// MPI, from the construction to the destruction of the object, at most once in a process.
/// Functions of the ranks are to be called by one thread at a time.
class MpiProgram {
 public:
  /// Requires HasMpi(); throws std::runtime_error when MPI cannot be initialised.
  MpiProgram();
  ~MpiProgram();
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;

  Ranks& ranks() const;
  /// For a process that must end early: waits up to some seconds until all ranks call it. Returns
  /// whether they do; otherwise Abort is the only way out.
  bool AllFail(double seconds) const;
  /// Ends all processes at once with this exit code.
  [[noreturn]] void Abort(int code) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slackline::internal
