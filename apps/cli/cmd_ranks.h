// SPDX-License-Identifier: BSD-3-Clause
//
// The processes that run one command together: those that mpirun or srun has started. Part of the
// program only.
//
// Rank 0 speaks and writes for all: what other ranks print is lost, except the message of an error
// that ends the program.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <slackline/core/ranks.h>

namespace slackline::internal::program {

/// To be called first in main. Throws DataError when a launcher has started several processes, and
/// the program was built without MPI: they would do the same work and overwrite each other's files.
void BeginRanks();
/// To be called last in main.
void EndRanks();

/// The ranks of this process; it may be alone.
Ranks& ProcessRanks();

/// Throws DataError where there are several ranks. what: what one process has to do alone, as the
/// user knows it, such as "--stream".
void RequireOneProcess(const std::string& what);

/// The same for commands that predict, and read DATA as a stream where --stream is given or DATA is
/// "-", the standard input.
void RequireOneStream(bool stream, const std::string& data);

/// What make() returns on this rank. All ranks call this function; a DataError on some of them is
/// thrown on all.
template <class Make>
auto MakeOnAllRanks(const Make& make) {
  std::optional<decltype(make())> made;
  OnAllRanks(ProcessRanks(), [&] { made.emplace(make()); });
  return std::move(*made);
}

/// Calls work() on rank 0. All ranks call this function; a DataError of rank 0 is thrown on all.
template <class Work>
void OnFirstRank(const Work& work) {
  OnAllRanks(ProcessRanks(), [&] {
    if (ProcessRanks().first()) work();
  });
}

/// Rank 0 writes the texts of all ranks, in their order, as WriteOutput does. All ranks call this
/// function; a DataError is thrown on all.
void WriteJoinedOutput(const std::string& path, std::string mine);

/// Prints the message of an error that ends this process. If it is an error of all ranks, rank 0
/// prints it and the function returns; else the rank prints it and ends all processes with this
/// code.
void TellError(int code, const std::string& message);

/// Throws DataError if there are several ranks and the command (its name with those of its parents,
/// "slackline multilabel train") is for one process, and where srun has started several processes
/// for a command of several ranks, but without MPI: they would do the same work.
void CheckRanks(const std::string& command);

}  // namespace slackline::internal::program
