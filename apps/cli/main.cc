// SPDX-License-Identifier: BSD-3-Clause
//
// The command line. Exit codes: 0 = done, 1 = an error of the program itself, or a certificate that
// --verify refutes, 2 = bad input (arguments, files, models), 130, 143 and 129 = training
// interrupted by SIGINT, SIGTERM or SIGHUP, with the model written.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_startup.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/core/check.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal::program {
namespace {

constexpr int kInternalError = 1;

constexpr const char* kProgramExamples =
    "Examples:\n"
    "  slackline multilabel train yeast-train.arff.gz --labels yeast.xml --model yeast.slk\n"
    "  slackline multilabel evaluate yeast-test.arff.gz --model yeast.slk\n"
    "  slackline multilabel predict yeast-test.arff.gz --model yeast.slk --out predicted.txt\n"
    "  slackline info yeast.slk";

constexpr const char* kOtherExamples =
    "  slackline sequence train conll-train.txt.gz --model chunks.slk\n"
    "  slackline sequence evaluate conll-test.txt.gz --model chunks.slk\n"
    "  slackline matching train pairs.txt --model alignments.slk\n"
    "  slackline segment draw --out drawn\n"
    "  slackline segment train drawn.fea --model drawn.slk\n"
    "  slackline segment predict holiday/*.jpg --model drawn.slk --out predicted --overlay";

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

void AddCommands(Command* root, Action* action) {
  root->SetFooter(std::string(kProgramExamples) + "\n" + kOtherExamples);
  Command* multilabel = root->AddCommand(
      "multilabel", "Multi-label classification: every example has a set of labels.");
  multilabel->RequireCommand();
  multilabel->SetFooter(kProgramExamples);
  AddMultiLabelTrain(multilabel, action);
  AddMultiLabelPredict(multilabel, action);
  AddMultiLabelEvaluate(multilabel, action);
  AddMultiLabelCv(multilabel, action);
  AddMultiLabelConvert(multilabel, action);
  AddMultiLabelOnline(multilabel, action);
  AddSequence(root, action);
  AddSegment(root, action);
  AddMatching(root, action);
  AddMulticlass(root, action);
  AddLinear(root, action);
  AddOptions(root, action);
  AddInfo(root, action);
  AddBench(root, action);
  AddReport(root, action);
}

int RunCommand(int argc, char** argv) {
  Command root("slackline", "Slackline: structured SVMs with certified training.",
               ProgramVersion());
  Action action;
  AddCommands(&root, &action);
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
    return Complain(kBadInput, message.starts_with("--") ? message + root.Hint() : message);
  }
}

/// Runs the command on all ranks; returns the exit code.
int RunProgram(int argc, char** argv) {
  try {
    BeginRanks();
  } catch (const DataError& error) {
    return Complain(kBadInput, error.what());
  }
  try {
    return RunCommand(argc, argv);
  } catch (const std::bad_alloc&) {
    return Complain(kInternalError, "not enough memory");
  } catch (const CertificateError& error) {
    return Complain(kInternalError, error.what());
  } catch (const std::exception& error) {
    return Complain(kInternalError, std::string("internal error: ") + error.what());
  }
}

}  // namespace
}  // namespace slackline::internal::program

int main(int argc, char** argv) {
  namespace program = slackline::internal::program;
  program::PrepareProcess();
  const int code = program::RunProgram(argc, argv);
  program::EndRanks();
  return code;
}
