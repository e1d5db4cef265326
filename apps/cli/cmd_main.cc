// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_main.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>

#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_startup.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/core/check.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal::program {
namespace {

constexpr int kInternalError = 1;

/// Rejects empty values: no option needs one, and most would read it as "not given".
void CheckValues(const Command& command) {
  for (const auto& option : command.options()) {
    const auto& values = option->values();
    if (!option->flag() && std::find(values.begin(), values.end(), "") != values.end())
      throw DataError(option->name() + ": the value is empty");
  }
}

int Complain(int code, const std::string& message) {
  TellError(code, message);
  return code;
}

/// The exit code, after checking that all output was written.
int Finish(int code) {
  try {
    CheckStandardOutput();
  } catch (const DataError& error) {
    return Complain(kBadInput, error.what());
  }
  return code;
}

int RunCommand(int argc, char** argv, const ProgramStart& start) {
  Command root(start.name, start.description, ProgramVersion());
  Action action;
  start.add(&root, &action);
  try {
    if (!root.Parse(argc, argv)) return Finish(0);
  } catch (const DataError& error) {
    return Complain(kBadInput, error.what());
  }
  try {
    CheckValues(root.Parsed());
    CheckRanks(root.ParsedName());
    return Finish(action());
  } catch (const DataError& error) {
    const std::string message = error.what();
    return Complain(kBadInput,
                    message.starts_with("--") ? message + root.HintFor(message) : message);
  }
}

/// Runs the command on all ranks; returns the exit code.
int RunProgram(int argc, char** argv, const ProgramStart& start) {
  try {
    BeginRanks();
  } catch (const DataError& error) {
    return Complain(kBadInput, error.what());
  }
  try {
    return RunCommand(argc, argv, start);
  } catch (const std::bad_alloc&) {
    return Complain(kInternalError, "not enough memory");
  } catch (const CertificateError& error) {
    return Complain(kInternalError, error.what());
  } catch (const std::exception& error) {
    return Complain(kInternalError, std::string("internal error: ") + error.what());
  }
}

}  // namespace

int RunMain(int argc, char** argv, const ProgramStart& start) {
  PrepareProcess();
  const int code = RunProgram(argc, argv, start);
  EndRanks();
  return code;
}

}  // namespace slackline::internal::program
