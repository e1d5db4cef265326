// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: a product of options and numbers.
//
// Every numeric option of the training and drawing commands, with extreme numbers: a run may
// succeed or be refused, but must not end with an internal error.
#include <map>
#include <regex>

#include <doctest/doctest.h>

#include <tests/apps/program.h>
#include <tests/support/sanitized.h>

using namespace slackline::internal::test;

namespace {

const Arguments kValues =
    kSanitized ? Arguments{"1e308", "1e-308", "0", "nan"}
               : Arguments{"1e308", "1e-308", "1e50", "1e-50", "0", "-1", "nan", "inf", "1e400"};

/// Further options for a second run with each of these options.
const std::map<std::string, Arguments> kFurtherOptions = {
    {"--kernel-gamma", {"--kernel", "rbf"}},
    {"--kernel-degree", {"--kernel", "polynomial"}},
    {"--kernel-offset", {"--kernel", "polynomial"}},
    {"--rho", {"--learner", "soft"}},
    {"--rho-final", {"--learner", "soft", "--rho", "1"}},
    {"--rho-passes", {"--learner", "soft", "--rho-final", "1"}},
    {"--tau", {"--learner", "al"}},
    {"--step-size", {"--learner", "dlpw"}},
    {"--smoothing", {"--learner", "prox-sdca"}},
    {"--l1", {"--learner", "prox-sdca"}},
    {"--samples", {"--learner", "multi-sample"}},
    {"--prune-after", {"--learner", "bmrm"}},
    {"--cache-mb", {"--learner", "kernel-bcfw"}},
};

/// The options whose help shows a capital letter, or one of some words in capitals, for the value.
Arguments NumericOptions(const Arguments& command) {
  const bool trains = command.back() == "train" || command.back() == "cv";
  std::string help = RunProgram(command + Arguments{trains ? "--help-all" : "--help"}).out;
  if (trains && command.front() != "linear") help += RunProgram({"options"}).out;
  const std::regex line("  (--[A-Za-z0-9-]+) (N|L|R|T|E|G|S|C|X|D|B|K|MB|TOL|SECONDS|[A-Z])\\b");
  Arguments names;
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at) {
    names.push_back((*at)[1]);
  }
  return names;
}

/// Runs the command with every value of the option, alone and with its further options.
void CheckOption(const Arguments& command, const Arguments& base, const std::string& option) {
  const auto further = kFurtherOptions.find(option);
  for (const std::string& value : kValues) {
    Arguments arguments = command;
    for (std::size_t k = 0; k < base.size(); ++k) {
      if (base[k] == option) {
        ++k;  // replaced, with its value
      } else {
        arguments.push_back(base[k]);
      }
    }
    for (const Arguments& more :
         {Arguments{}, further == kFurtherOptions.end() ? Arguments{} : further->second}) {
      const Outcome outcome = RunProgram(arguments + more + Arguments{option, value});
      CHECK_MESSAGE((outcome.code == 0 || outcome.code == 2),
                    command[0] << " " << option << " " << value << ": " << outcome.err);
      if (further == kFurtherOptions.end()) break;
    }
  }
}

/// least: the minimum number of options, so that a change of the help text is noticed.
void CheckCommand(const Arguments& command, const Arguments& base, std::size_t least) {
  const Arguments options = NumericOptions(command);
  CHECK(options.size() >= least);
  for (const std::string& option : options) CheckOption(command, base, option);
}

}  // namespace

TEST_CASE("multilabel train") {
  const TemporaryFolder folder;
  CheckCommand({"multilabel", "train"},
               {folder.Write("d.svm", LibsvmText(8, 4, 3, 1)), "--num-labels", "3", "--model",
                folder.Path("m.slk"), "--max-passes", "4", "--time-limit", "5", "-q"},
               20);
}

TEST_CASE("sequence train") {
  const TemporaryFolder folder;
  const std::string data = folder.Write("d.txt", "the D\ncat N\nsees V\n\na D\ndog N\n\n");
  CheckCommand(
      {"sequence", "train"},
      {data, "--model", folder.Path("m.slk"), "--max-passes", "4", "--time-limit", "5", "-q"}, 20);
}

TEST_CASE("multiclass train") {
  const TemporaryFolder folder;
  CheckCommand({"multiclass", "train"},
               {folder.Write("d.svm", "a 1:1\nb 2:1\nc 1:2 2:0.5\na 1:3\n"), "--model",
                folder.Path("m.slk"), "--max-passes", "4", "--time-limit", "5", "-q"},
               20);
}

TEST_CASE("matching train and draw") {
  const TemporaryFolder folder;
  std::string data;
  for (const char* value : {"0.1", "0.2", "0.3", "0.4"}) {
    data +=
        "2 2\n0 0 1 a:" + std::string(value) + " b:1\n0 1 0 a:0.2\n1 0 0 b:0.3\n1 1 1 a:0.7\n\n";
  }
  CheckCommand({"matching", "train"},
               {folder.Write("d.txt", data), "--model", folder.Path("m.slk"), "--max-passes", "4",
                "--time-limit", "5", "-q"},
               20);
  CheckCommand({"matching", "draw"}, {"--out", folder.Path("drawn")}, 3);
}
