// SPDX-License-Identifier: BSD-3-Clause
//
// slackline options: what all training commands share, from the records of learners and options.
#include <algorithm>
#include <string>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/learner_registry.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kOptionsDescription =
    "Lists the learners, and the options of `train` and `cv` that are the same for all tasks; with "
    "LEARNER, the options that\nthis learner reads. The options of a task are listed by "
    "`slackline TASK train --help-all`.";
constexpr const char* kOptionsExamples =
    "Examples:\n"
    "  slackline options\n"
    "  slackline options bcfw";

struct OptionsCommand {
  std::string learner;
};

/// The options of all training commands, with their texts; they are never parsed.
class SharedOptions {
 public:
  SharedOptions() : command_("train", "", "") { session_.Register(&command_); }

  /// The lines of the help about the options that every learner reads.
  std::string ForEveryLearner() const {
    return command_.Describe([](const Option& option) {
      return option.audience() == Audience::kTraining && ReadersOfOption(option) == kEvery;
    });
  }
  /// The same about those that not all learners read, but one of the set does.
  std::string ReadBy(LearnerSet learners) const {
    return command_.Describe([learners](const Option& option) {
      const LearnerSet readers = ReadersOfOption(option);
      return readers != kEvery && (readers & learners) != 0;
    });
  }

  static constexpr LearnerSet kEvery = ~LearnerSet{0};

 private:
  static LearnerSet ReadersOfOption(const Option& option) {
    const std::string name = option.name();
    const OptionRecord* record = FindOption(std::string_view(name).substr(2));
    return record == nullptr ? kEvery : ReadersOf(*record);
  }

  Command command_;
  SessionFlags session_;
};

std::string Everything() {
  const SharedOptions options;
  std::string text = "Options for every learner:\n";
  text += options.ForEveryLearner();
  text += "\nOptions that some learners read:\n";
  text += options.ReadBy(SharedOptions::kEvery);
  text += "\nLearners:\n";
  for (const LearnerRecord* learner : Learners()) {
    std::string name = "  " + std::string(learner->name);
    name.resize(std::max<std::size_t>(name.size() + 1, 20), ' ');
    text += name + std::string(learner->summary) + "\n";
  }
  return text;
}

const LearnerRecord& LearnerNamed(const std::string& name) {
  std::vector<std::string_view> names;
  for (const LearnerRecord* learner : Learners()) {
    if (learner->name == name) return *learner;
    names.push_back(learner->name);
  }
  throw DataError("there is no learner " + Quoted(name) + DidYouMean(name, names) +
                  "; `slackline options` lists them");
}

std::string OfAuto() {
  const LearnerSet set = SetOf(LearnerKind::kAuto);
  return "auto: the fastest learner for the structure of the problem, " + LearnerNames(set) +
         " or pdhg (docs/reference/learners.md). Options narrow the choice to the learners that "
         "read them.\n";
}

std::string OfLearner(const LearnerRecord& learner) {
  const std::string text = SharedOptions().ReadBy(NamedLearners(learner.name));
  return std::string(learner.name) + ": " + std::string(learner.summary) +
         " (docs/reference/learners.md, " + std::string(learner.section) + ")\n\n" +
         (text.empty() ? "It reads none of the options of learners.\n" : "Options:\n" + text);
}

int RunOptions(const OptionsCommand& command) {
  if (command.learner == Name(LearnerKind::kAuto)) {
    WriteOutput("-", OfAuto());
    return 0;
  }
  WriteOutput("-",
              command.learner.empty() ? Everything() : OfLearner(LearnerNamed(command.learner)));
  return 0;
}

}  // namespace

void AddOptions(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"options", kOptionsDescription, kOptionsExamples}, RunOptions);
  app->AddArgument("LEARNER", &command->learner, "name of a learner");
}

}  // namespace slackline::internal::program
