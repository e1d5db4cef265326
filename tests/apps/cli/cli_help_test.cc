// SPDX-License-Identifier: BSD-3-Clause
//
// The options --help and --help-all of the training commands, and the command `options`.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/learner_registry.h>
#include <slackline/learning/options.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Without segmentation, which some builds do not have.
const Arguments kCommands[] = {
    {"multilabel", "train"}, {"multilabel", "cv"}, {"sequence", "train"},   {"sequence", "cv"},
    {"matching", "train"},   {"matching", "cv"},   {"multiclass", "train"}, {"multiclass", "cv"}};

std::string Help(const Arguments& command, const std::string& flag) {
  const Outcome outcome = Succeed(command + Arguments{flag});
  CHECK(outcome.err.empty());
  return outcome.out;
}

/// The option names ("--lambda") of the lines that begin the text of an option.
Arguments Options(const std::string& help) {
  Arguments names;
  for (const std::string& line : Lines(help)) {
    const std::size_t at = line.find("--");
    if (line.starts_with("  -") && at != std::string::npos)
      names.push_back(line.substr(at, line.find_first_of(" ,", at) - at));
  }
  return names;
}

bool Has(const Arguments& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("the short help has the basic options, and names --help-all") {
  for (const Arguments& command : kCommands) {
    const std::string help = Help(command, "--help");
    INFO(command[0] << " " << command[1]);
    CHECK(help.ends_with("\nAll options: --help-all\n"));
    const Arguments options = Options(help);
    CHECK(options.size() <= 18);
    for (const char* name : {"--model", "--scale", "--gap-tolerance", "--time-limit", "--seed",
                             "--threads", "--quiet"})
      CHECK_MESSAGE(Has(options, name), name);
    // The losses of classes are costs in a file.
    CHECK(Has(options, command[0] == "multiclass" ? "--label-column" : "--loss"));
    for (const char* name :
         {"--tau", "--oracle", "--kernel-gamma", "--verify", "--cache-mb", "--C"})
      CHECK_MESSAGE(!Has(options, name), name);
    CHECK(Has(options, command[1] == "cv" ? "--metric" : "--lambda"));
  }
}

TEST_CASE("--help-all has the options of the task, with the words of the short help") {
  for (const Arguments& command : kCommands) {
    const std::string all = Help(command, "--help-all");
    INFO(command[0] << " " << command[1]);
    CHECK(all.ends_with(
        "\nLearners, and options that all training commands share: slackline options\n"));
    const Arguments options = Options(all);
    for (const char* name : {"--learner", "--verbose", "--scale", "--threads"})
      CHECK_MESSAGE(Has(options, name), name);
    for (const char* name : {"--tau", "--kernel", "--verify", "--checkpoint", "--max-passes"})
      CHECK_MESSAGE(!Has(options, name), name);
    const Arguments lines = Lines(all);
    for (const std::string& line : Lines(Help(command, "--help"))) {
      if (!line.empty() && line != "All options: --help-all") CHECK_MESSAGE(Has(lines, line), line);
    }
    // No option is listed in two groups.
    Arguments sorted = options;
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  }
}

TEST_CASE("the options of a task fit on a screen") {
  for (const Arguments& command : kCommands) {
    const std::string all = Help(command, "--help-all");
    INFO(command[0] << " " << command[1]);
    const std::size_t begin = all.find("\nData:\n");
    const Arguments lines = Lines(all.substr(begin, all.find("\nExamples:\n") - begin));
    CHECK(std::count_if(lines.begin(), lines.end(),
                        [](const std::string& line) { return line.starts_with("  "); }) <= 45);
  }
}

TEST_CASE("`options` lists every option that --help-all leaves out, and every learner") {
  const std::string text = Succeed({"options"}).out;
  const Arguments options = Options(text);
  for (const OptionRecord& record : OptionRecords()) {
    const bool listed = !record.basic && record.name != "learner";
    CHECK_MESSAGE(Has(options, "--" + std::string(record.name)) == listed, record.name);
  }
  for (const char* name :
       {"--verify", "--checkpoint", "--checkpoint-every", "--resume", "--compact"})
    CHECK_MESSAGE(Has(options, name), name);
  CHECK_FALSE(Has(options, "--model"));
  for (const LearnerRecord* learner : Learners())
    CHECK(Contains(text, "\n  " + std::string(learner->name) + " "));
}

TEST_CASE("`options LEARNER` lists the options that the learner reads") {
  for (const LearnerRecord* learner : Learners()) {
    const std::string text = Succeed({"options", std::string(learner->name)}).out;
    INFO(learner->name);
    CHECK(text.starts_with(std::string(learner->name) + ": " + std::string(learner->summary)));
    const Arguments options = Options(text);
    const LearnerSet self = NamedLearners(learner->name);
    for (const OptionRecord& record : OptionRecords()) {
      const LearnerSet readers = ReadersOf(record);
      const bool listed = readers != ~LearnerSet{0} && (readers & self) != 0;
      CHECK_MESSAGE(Has(options, "--" + std::string(record.name)) == listed, record.name);
    }
  }
  const Arguments al = Options(Succeed({"options", "al"}).out);
  CHECK(Has(al, "--tau"));
  CHECK_FALSE(Has(al, "--oracle"));
  CHECK(Contains(Succeed({"options", "auto"}).out, "the fastest learner for the structure"));
  CHECK(Contains(Succeed({"options", "excessive-gap"}).out, "It reads none of the options"));
  CheckRefused({"options", "bcwf"}, "there is no learner 'bcwf'; did you mean 'bcfw'?");
}

TEST_CASE("option groups are data, model, training and output, in this order") {
  for (const Arguments& command : kCommands) {
    for (const char* flag : {"--help", "--help-all"}) {
      const std::string help = Help(command, flag);
      std::size_t at = 0;
      for (const char* group :
           {"\nData:\n", "\nModel:\n", "\nTraining:\n", "\nOutput:\n", "\nExamples:\n"}) {
        const std::size_t next = help.find(group);
        REQUIRE_MESSAGE(next != std::string::npos, group);
        CHECK(next > at);
        at = next;
      }
      CHECK_FALSE(Contains(help, "\nOptions:\n"));
    }
  }
}

TEST_CASE("errors about options name the help that has them") {
  CheckRefused({"multilabel", "train", "x", "--tau", "7", "--model", "y"},
               "(see slackline options)");
  CheckRefused({"multilabel", "train", "x", "--loss", "7", "--model", "y"},
               "(see slackline multilabel train --help-all)");
  CHECK(Contains(RunProgram({"multilabel", "evaluate", "--no"}).err,
                 "(see slackline multilabel evaluate --help)"));
  CHECK(RunProgram({"multilabel", "evaluate", "--help-all"}).code == 2);
}
