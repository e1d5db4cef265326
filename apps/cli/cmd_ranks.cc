// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_ranks.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/common/joined_results.h>
#include <slackline/core/check.h>
#include <slackline/core/mpi_ranks.h>
#include <slackline/core/parallel.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

/// Ranks that fail for the same reason do so within this time, unless one of them reads more.
constexpr double kSecondsToFail = 3;

constexpr std::array kCommandsOfRanks = {
    "slackline multilabel train",    "slackline multilabel cv",      "slackline multilabel predict",
    "slackline multilabel evaluate", "slackline sequence train",     "slackline sequence cv",
    "slackline sequence predict",    "slackline sequence evaluate",  "slackline segment train",
    "slackline segment cv",          "slackline segment predict",    "slackline segment evaluate",
    "slackline matching train",      "slackline matching cv",        "slackline matching predict",
    "slackline matching evaluate",   "slackline multiclass train",   "slackline multiclass cv",
    "slackline multiclass predict",  "slackline multiclass evaluate"};

std::optional<MpiProgram> mpi;
int real_stderr = -1;

/// Sends what this process prints to nowhere, and closes its standard input: launchers that give it
/// to all processes would wait for those that do not read it.
void FallSilent() {
  real_stderr = dup(STDERR_FILENO);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

void Speak() {
  if (real_stderr < 0) return;
  std::fflush(stderr);
  dup2(real_stderr, STDERR_FILENO);
}

}  // namespace

void BeginRanks() {
  if (!HasMpi()) {
    if (LaunchedProcesses() > 1) {
      throw DataError(
          "several processes were started, but this program was built without MPI; build it with "
          "-DSLACKLINE_WITH_MPI=ON (./run mpi), or start one process");
    }
    return;
  }
  if (!StartedByMpi()) return;
  mpi.emplace();
  ShareProcessors(mpi->ranks().ranks_on_this_machine());
  if (!mpi->ranks().first()) FallSilent();
}

void EndRanks() { mpi.reset(); }

Ranks& ProcessRanks() { return mpi ? mpi->ranks() : OneRank(); }

void RequireOneProcess(const std::string& what) {
  if (ProcessRanks().alone()) return;
  throw DataError(what + " needs a single process, but " + std::to_string(ProcessRanks().size()) +
                  " were started");
}

void RequireOneStream(bool stream, const std::string& data) {
  if (data == "-") RequireOneProcess("DATA -, the standard input,");
  if (stream) RequireOneProcess("--stream");
}

void WriteJoinedOutput(const std::string& path, std::string mine) {
  const std::string all = JoinOnFirst(ProcessRanks(), std::move(mine));
  OnFirstRank([&] { WriteOutput(path, all); });
}

void TellError(int code, const std::string& message) {
  const bool together = ProcessRanks().alone() || mpi->AllFail(kSecondsToFail);
  std::string rank;
  if (!together) {
    const std::string machine = ProcessRanks().machine();
    rank = "rank " + std::to_string(ProcessRanks().rank()) +
           (machine.empty() ? "" : " on " + machine) + ": ";
    Speak();
  }
  std::fprintf(stderr, "slackline: %s%s\n", rank.c_str(), Printable(message).c_str());
  if (together) return;
  std::fflush(nullptr);
  mpi->Abort(code);
}

void CheckRanks(const std::string& command) {
  if (std::find(std::begin(kCommandsOfRanks), std::end(kCommandsOfRanks), command) !=
      std::end(kCommandsOfRanks)) {
    if (TasksApart() == 1) return;
    throw DataError("srun has started " + std::to_string(TasksApart()) +
                    " processes that do not know each other: use srun --mpi=pmix, and a build "
                    "with MPI, or unset SLURM_STEP_NUM_TASKS to let each work by itself");
  }
  if (ProcessRanks().alone()) return;
  std::string known;
  for (const std::string name : kCommandsOfRanks) known += (known.empty() ? "" : ", ") + name;
  throw DataError(command + " runs in one process, but " + std::to_string(ProcessRanks().size()) +
                  " were started; several can run " + known);
}

}  // namespace slackline::internal::program
