// SPDX-License-Identifier: BSD-3-Clause
//
// The commands of the program with their options, and the parser behind them. cmd_parser.cc alone
// includes the library that parses (CLI11), whose headers take seconds to compile. Part of the
// program only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slackline::internal::program {

class Command;

/// The headings of the options of training commands.
inline constexpr const char* kDataGroup = "Data";
inline constexpr const char* kModelGroup = "Model";
inline constexpr const char* kTrainingGroup = "Training";
inline constexpr const char* kOutputGroup = "Output";

/// Where an option of a training command is listed.
enum class Audience {
  kEverybody,  ///< by --help
  kCommand,    ///< by --help-all
  kTraining,   ///< by `slackline options`, which has what all training commands share
};

/// An option, a flag or a positional argument. It belongs to its command. Setters return `this`.
class Option {
 public:
  Option(Command* command, CLI::Option* option) : command_(command), option_(option) {}

  Option* Required();
  /// The two options cannot be given together. `name` is that of an option of the same command.
  Option* Excludes(Option* other);
  Option* Excludes(std::string_view name);
  /// This option cannot be given without the other one.
  Option* Needs(Option* other);
  Option* SetText(const std::string& text);
  /// What stands for the value in the help.
  Option* SetPlaceholder(const std::string& placeholder);
  /// The heading in the help under which the option stands; "" hides the option.
  Option* SetGroup(const std::string& group);
  /// Of a command that shows groups (Command::ShowGroups).
  Option* SetAudience(Audience audience);

  /// "--lambda", or "DATA" for a positional argument.
  std::string name() const;
  bool positional() const;
  bool flag() const;
  bool hidden() const;
  Audience audience() const { return audience_; }
  /// Whether the option takes at most one value.
  bool single() const;

  // After parsing.
  bool given() const;
  const std::vector<std::string>& values() const;

 private:
  friend class Command;

  Command* command_;
  CLI::Option* option_;
  Audience audience_ = Audience::kEverybody;
};

/// A command, or the program itself as the root of all commands.
class Command {
 public:
  /// The program. Its commands, if it has any, are added by AddCommand.
  Command(const std::string& name, const std::string& description, const std::string& version);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* AddCommand(const std::string& name, const std::string& description);
  /// A command that others like this one have: the reason why this one has not is the error of a
  /// user who gives it.
  void AddAbsent(const std::string& name, const std::string& reason) { absent_[name] = reason; }
  /// One of the commands added to this one has to be given.
  void RequireCommand();
  /// Accepts any arguments.
  void AcceptAll();
  /// A text below the options in the help.
  void SetFooter(const std::string& footer);
  /// Parsing calls `act` when this command is given.
  void OnParsed(const std::function<void()>& act);

  /// `names`: "--log", or "--quiet,-q". Parsing stores the value in *value, which must live that
  /// long.
  Option* AddOption(const std::string& names, std::string* value, const std::string& text);
  Option* AddFlag(const std::string& names, bool* value, const std::string& text);
  Option* AddFlag(const std::string& names, const std::string& text);
  /// A positional argument; with a vector, one that takes one value or more.
  Option* AddArgument(const std::string& name, std::string* value, const std::string& text);
  Option* AddArgument(const std::string& name, std::vector<std::string>* values,
                      const std::string& text);
  /// The heading of the options that are added from here on.
  void StartGroup(const std::string& group) { group_ = group; }
  /// For a command that trains: adds --help-all, and lists the options under the headings below,
  /// those without a heading under kDataGroup.
  void ShowGroups();
  /// The lines of the help about the options of which `has` is true.
  std::string Describe(const std::function<bool(const Option& option)>& has) const;

  /// The option "--name", or nullptr.
  Option* Find(std::string_view name) const;
  /// The option "--name". Requires that there is one.
  Option* Get(std::string_view name) const;
  void Remove(std::string_view name);
  /// In the order in which they were added, without those for help.
  const std::vector<std::unique_ptr<Option>>& options() const { return options_; }
  const std::string& name() const;

  /// Of the program: parses the arguments of main. Returns false if the help or the version was
  /// asked for, and printed. Throws DataError on arguments that are not understood.
  bool Parse(int argc, char** argv);
  /// The parsed command as "slackline multilabel train", and a hint that names its help as
  /// " (see slackline multilabel train --help-all)".
  std::string ParsedName() const;
  std::string Hint() const;
  /// The same for a message that begins with an option, "--tau: …": the help that lists the option.
  std::string HintFor(const std::string& message) const;
  /// The innermost command that the parser recognised.
  const Command& Parsed() const;

 private:
  class GroupFormatter;

  Command(Command* parent, CLI::App* app);
  Option* Add(CLI::Option* option);

  Command* parent_ = nullptr;
  std::unique_ptr<CLI::App> root_;
  CLI::App* app_;
  std::string group_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::map<std::string, std::string> absent_;  // reasons by name
};

}  // namespace slackline::internal::program
