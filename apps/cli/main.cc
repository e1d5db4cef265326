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
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_startup.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal::program {
namespace {

constexpr int kInternalError = 1;

constexpr const char* kExamples =
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
void CheckValues(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const auto& values = option->results();
    if (option->get_expected_max() == 0 ||
        std::find(values.begin(), values.end(), "") == values.end())
      continue;
    throw DataError(option->get_name() + ": the value is empty");
  }
}

/// "--lambda is given twice", or "" if every option has at most one value. (Flags may be repeated.)
std::string DescribeRepeated(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::size_t count = option->results().size();
    if (option->get_expected_max() != 1 || count < 2) continue;
    return option->get_name() + " is given " +
           (count == 2 ? "twice" : std::to_string(count) + " times");
  }
  return {};
}

/// The innermost command that the parser recognised.
const CLI::App& InnerCommand(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

/// "slackline multilabel train"
std::string CommandName(const CLI::App& root) {
  std::string name;
  for (const CLI::App* app = &InnerCommand(root); app != nullptr; app = app->get_parent())
    name = app->get_name() + (name.empty() ? "" : " ") + name;
  return name;
}

/// " (see slackline multilabel train --help-all)"
std::string Hint(const CLI::App& root) {
  return " (see " + CommandName(root) + " " +
         (InnerCommand(root).get_help_all_ptr() ? "--help-all)" : "--help)");
}

/// "; did you mean '--lambda'?" for "--lamda" or "--lamda=1", or "".
std::string SimilarOption(const CLI::App& root, const std::string& text) {
  std::vector<std::string> names;
  for (const CLI::Option* option : InnerCommand(root).get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return DidYouMean(text.substr(0, text.find('=')), {names.begin(), names.end()});
}

std::string Describe(const CLI::App& root, const CLI::ParseError& error) {
  const std::vector<std::string> extras = root.remaining(true);
  const auto option = std::find_if(extras.begin(), extras.end(),
                                   [](const auto& text) { return text.starts_with("-"); });
  if (option != extras.end())
    return "unknown option " + Quoted(*option) + SimilarOption(root, *option);

  std::string repeated = DescribeRepeated(InnerCommand(root));
  if (!repeated.empty()) return repeated;

  const std::string text = error.what();
  // CLI11: "--log: 1 required FILE missing"
  const std::size_t missing = text.find(": 1 required ");
  if (missing != std::string::npos) return text.substr(0, missing) + " needs a value";

  std::string commands;
  std::vector<std::string_view> names;
  for (const CLI::App* app :
       InnerCommand(root).get_subcommands([](const CLI::App*) { return true; })) {
    commands += (commands.empty() ? "" : ", ") + app->get_name();
    names.push_back(app->get_name());
  }
  if (commands.empty())
    return extras.empty() ? error.what() : "unexpected argument " + Quoted(extras.front());
  const std::string choices = "choose from " + commands;
  return extras.empty() ? "a command is missing: " + choices
                        : "unknown command " + Quoted(extras.front()) + ": " + choices +
                              DidYouMean(extras.front(), names);
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

void AddCommands(CLI::App* root, Action* action) {
  root->set_version_flag("--version", ProgramVersion());
  root->get_formatter()->column_width(34);
  root->require_subcommand(1);
  root->footer(std::string(kExamples) + "\n" + kOtherExamples);
  CLI::App* multilabel = root->add_subcommand(
      "multilabel", "Multi-label classification: every example has a set of labels.");
  multilabel->require_subcommand(1);
  multilabel->footer(kExamples);
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
  AddInfo(root, action);
  AddBench(root, action);
  AddReport(root, action);
}

int RunCommand(int argc, char** argv) {
  CLI::App root("Slackline: structured SVMs with certified training.", "slackline");
  Action action;
  AddCommands(&root, &action);
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return Finish(root.exit(success));
  } catch (const CLI::ParseError& error) {
    return Complain(kBadInput, Describe(root, error) + Hint(root));
  }
  try {
    CheckValues(InnerCommand(root));
    CheckRanks(CommandName(root));
    return Finish(action());
  } catch (const DataError& error) {
    const std::string message = error.what();
    return Complain(kBadInput, message.starts_with("--") ? message + Hint(root) : message);
  }
}

/// Runs the command on all ranks; returns the exit code.
int Run(int argc, char** argv) {
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
  const int code = program::Run(argc, argv);
  program::EndRanks();
  return code;
}
