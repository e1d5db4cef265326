// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_parser.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

constexpr std::size_t kTextColumn = 34;      // of the texts beside the options
constexpr const char* kNoGroup = "Options";  // the heading that CLI11 gives to other options

/// "--lambda is given twice", or "" if every option has at most one value. (Flags may be repeated.)
std::string DescribeRepeated(const Command& command) {
  for (const auto& option : command.options()) {
    const std::size_t count = option->values().size();
    if (!option->single() || count < 2) continue;
    return option->name() + " is given " +
           (count == 2 ? "twice" : std::to_string(count) + " times");
  }
  return {};
}

/// "; did you mean '--lambda'?" for "--lamda" or "--lamda=1", or "".
std::string SimilarOption(const Command& command, const std::string& text) {
  std::vector<std::string> names;
  for (const auto& option : command.options()) {
    if (!option->hidden() && !option->positional()) names.push_back(option->name());
  }
  return DidYouMean(text.substr(0, text.find('=')), {names.begin(), names.end()});
}

/// What is wrong where the parser expected a command.
std::string DescribeCommand(const std::vector<std::string>& names,
                            const std::vector<std::string>& extras) {
  std::string choices = "choose from ";
  for (const std::string& name : names) choices += (name == names.front() ? "" : ", ") + name;
  return extras.empty() ? "a command is missing: " + choices
                        : "unknown command " + Quoted(extras.front()) + ": " + choices +
                              DidYouMean(extras.front(), {names.begin(), names.end()});
}

}  // namespace

Option* Option::Required() {
  option_->required();
  return this;
}

Option* Option::Excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::Excludes(std::string_view name) { return Excludes(command_->Get(name)); }

Option* Option::Needs(Option* other) {
  option_->needs(other->option_);
  return this;
}

Option* Option::SetText(const std::string& text) {
  option_->description(text);
  return this;
}

Option* Option::SetPlaceholder(const std::string& placeholder) {
  option_->type_name(placeholder);
  return this;
}

Option* Option::SetGroup(const std::string& group) {
  option_->group(group);
  return this;
}

Option* Option::SetAudience(Audience audience) {
  audience_ = audience;
  return this;
}

std::string Option::name() const { return option_->get_name(); }
bool Option::positional() const { return !option_->nonpositional(); }
bool Option::flag() const { return option_->get_expected_max() == 0; }
bool Option::hidden() const { return option_->get_group().empty(); }
bool Option::single() const { return option_->get_expected_max() == 1; }
bool Option::given() const { return option_->count() > 0; }
const std::vector<std::string>& Option::values() const { return option_->results(); }

/// The help of a command that shows its options under given headings.
class Command::GroupFormatter : public CLI::Formatter {
 public:
  explicit GroupFormatter(const Command* command) : command_(command) { column_width(kTextColumn); }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return CLI::Formatter::make_help(app, name, mode);
    const bool all = mode == CLI::AppFormatMode::All;
    std::string text =
        make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    for (const std::string group : {kDataGroup, kModelGroup, kTrainingGroup, kOutputGroup}) {
      text += Options(group, [&](const Option& option) {
        const std::string& own = option.option_->get_group();
        return (own == group || (own == kNoGroup && group == kDataGroup)) &&
               (option.audience() == Audience::kEverybody ||
                (all && option.audience() == Audience::kCommand));
      });
    }
    text += "\n" + make_footer(app);
    text += all ? "\nLearners, and options that all training commands share: slackline options\n"
                : "\nAll options: --help-all\n";
    return text;
  }

  /// What stands between the name of an option and its text. The texts say what options exclude
  /// and need.
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string placeholder = option->get_type_name();
    return (placeholder.empty() ? "" : " " + placeholder) +
           (option->get_required() ? " REQUIRED" : "");
  }

  /// The lines of these options with a heading; empty without such options.
  std::string Options(const std::string& heading,
                      const std::function<bool(const Option& option)>& has) const {
    std::vector<const CLI::Option*> options;
    for (const auto& option : command_->options_) {
      if (!option->positional() && has(*option)) options.push_back(option->option_);
    }
    return options.empty() ? std::string() : make_group(heading, false, std::move(options));
  }

 private:
  const Command* command_;
};

Command::Command(const std::string& name, const std::string& description,
                 const std::string& version)
    : root_(std::make_unique<CLI::App>(description, name)), app_(root_.get()) {
  app_->set_version_flag("--version", version);
  app_->get_formatter()->column_width(kTextColumn);
}

Command::Command(Command* parent, CLI::App* app) : parent_(parent), app_(app) {}

Command::~Command() = default;

Command* Command::AddCommand(const std::string& name, const std::string& description) {
  commands_.emplace_back(new Command(this, app_->add_subcommand(name, description)));
  return commands_.back().get();
}

void Command::RequireCommand() { app_->require_subcommand(1); }
void Command::AcceptAll() { app_->prefix_command(); }
void Command::SetFooter(const std::string& footer) { app_->footer(footer); }
void Command::OnParsed(const std::function<void()>& act) { app_->callback(act); }

Option* Command::Add(CLI::Option* option) {
  if (!group_.empty() && option->nonpositional()) option->group(group_);
  return options_.emplace_back(std::make_unique<Option>(this, option)).get();
}

Option* Command::AddOption(const std::string& names, std::string* value, const std::string& text) {
  return Add(app_->add_option(names, *value, text));
}

Option* Command::AddFlag(const std::string& names, bool* value, const std::string& text) {
  return Add(app_->add_flag(names, *value, text));
}

Option* Command::AddFlag(const std::string& names, const std::string& text) {
  return Add(app_->add_flag(names, text));
}

Option* Command::AddArgument(const std::string& name, std::string* value, const std::string& text) {
  return Add(app_->add_option(name, *value, text))->SetPlaceholder("");
}

Option* Command::AddArgument(const std::string& name, std::vector<std::string>* values,
                             const std::string& text) {
  return Add(app_->add_option(name, *values, text))->SetPlaceholder("");
}

void Command::ShowGroups() {
  const std::string text = "all options";  // older versions of CLI11 take it by reference
  app_->set_help_all_flag("--help-all", text);
  app_->formatter(std::make_shared<GroupFormatter>(this));
}

std::string Command::Describe(const std::function<bool(const Option& option)>& has) const {
  const std::string text = GroupFormatter(this).Options("", has);
  return text.empty() ? text : text.substr(text.find("  -"));
}

Option* Command::Find(std::string_view name) const {
  const CLI::Option* found = app_->get_option_no_throw("--" + std::string(name));
  for (const auto& option : options_) {
    if (option->option_ == found) return option.get();
  }
  return nullptr;
}

Option* Command::Get(std::string_view name) const {
  Option* option = Find(name);
  if (option == nullptr)
    throw std::logic_error(this->name() + " has no option " + std::string(name));
  return option;
}

void Command::Remove(std::string_view name) {
  const Option* option = Get(name);
  app_->remove_option(option->option_);
  std::erase_if(options_, [&](const auto& one) { return one.get() == option; });
}

const std::string& Command::name() const { return app_->get_name(); }

bool Command::Parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {  // --help, --version
    app_->exit(success);
    return false;
  } catch (const CLI::ParseError& error) {
    const Command& command = Parsed();
    const std::vector<std::string> extras = app_->remaining(true);
    const auto option = std::find_if(extras.begin(), extras.end(),
                                     [](const auto& text) { return text.starts_with("-"); });
    if (option != extras.end()) {
      throw DataError("unknown option " + Quoted(*option) + SimilarOption(command, *option) +
                      Hint());
    }
    const std::string repeated = DescribeRepeated(command);
    if (!repeated.empty()) throw DataError(repeated + Hint());
    const std::string text = error.what();
    // CLI11: "--log: 1 required FILE missing"
    const std::size_t missing = text.find(": 1 required ");
    if (missing != std::string::npos)
      throw DataError(text.substr(0, missing) + " needs a value" + Hint());
    std::vector<std::string> names;
    for (const auto& inner : command.commands_) names.push_back(inner->name());
    if (!extras.empty() && command.absent_.count(extras.front()) > 0)
      throw DataError(command.name() + " " + extras.front() + ": " +
                      command.absent_.at(extras.front()) + Hint());
    if (!names.empty()) throw DataError(DescribeCommand(names, extras) + Hint());
    throw DataError((extras.empty() ? text : "unexpected argument " + Quoted(extras.front())) +
                    Hint());
  }
}

const Command& Command::Parsed() const {
  for (const auto& command : commands_) {
    if (command->app_->parsed()) return command->Parsed();
  }
  return *this;
}

std::string Command::ParsedName() const {
  std::string name;
  for (const Command* command = &Parsed(); command != nullptr; command = command->parent_)
    name = command->name() + (name.empty() ? "" : " ") + name;
  return name;
}

std::string Command::Hint() const {
  return " (see " + ParsedName() + " " +
         (Parsed().app_->get_help_all_ptr() != nullptr ? "--help-all)" : "--help)");
}

std::string Command::HintFor(const std::string& message) const {
  const std::size_t end = std::min(message.find_first_of(" :,"), message.size());
  const Command& parsed = Parsed();
  const Option* option = end > 2 ? parsed.Find(message.substr(2, end - 2)) : nullptr;
  const bool shared = option != nullptr && option->audience() == Audience::kTraining &&
                      parsed.app_->get_help_all_ptr() != nullptr;
  return shared ? " (see slackline options)" : Hint();
}

}  // namespace slackline::internal::program
