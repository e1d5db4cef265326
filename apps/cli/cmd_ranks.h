// SPDX-License-Identifier: BSD-3-Clause
//
// The processes that run one command together: those that mpirun or srun has started. Part of the
// program only.
//
// Rank 0 speaks and writes for all: what other ranks print is lost, except the message of an error
// that ends the program.
#pragma once

#include <string>

#include <slackline/core/ranks.h>

namespace CLI {
class App;
}  // namespace CLI

namespace slackline::internal::program {

/// To be called first in main. Throws DataError when a launcher has started several processes, and
/// the program was built without MPI: they would do the same work and overwrite each other's files.
void BeginRanks();
/// To be called last in main.
void EndRanks();

/// The ranks of this process; it may be alone.
Ranks& ProcessRanks();

/// Prints the message of an error that ends this process. If it is an error of all ranks, rank 0
/// prints it and the function returns; else the rank prints it and ends all processes with this
/// code.
void TellError(int code, const std::string& message);

/// Throws DataError if there are several ranks and the command (its name with those of its parents,
/// "slackline multilabel train") is for one process.
void CheckRanks(const std::string& command);

}  // namespace slackline::internal::program
