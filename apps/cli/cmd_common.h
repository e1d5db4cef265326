// SPDX-License-Identifier: BSD-3-Clause
//
// What all commands of the program share. Part of the program only, not of the library.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/common/choice.h>
#include <slackline/core/check.h>
#include <slackline/core/loss.h>
#include <slackline/core/number_text.h>
#include <slackline/inference/decode.h>
#include <slackline/learning/options.h>

namespace slackline::internal::program {

/// What a parsed command line asks for; returns the exit code of the program.
using Action = std::function<int()>;

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddMultiLabelTrain(Command* parent, Action* action);
void AddMultiLabelPredict(Command* parent, Action* action);
void AddMultiLabelEvaluate(Command* parent, Action* action);
void AddMultiLabelCv(Command* parent, Action* action);
void AddMultiLabelConvert(Command* parent, Action* action);
void AddMultiLabelOnline(Command* parent, Action* action);
void AddInfo(Command* parent, Action* action);
void AddReport(Command* parent, Action* action);
void AddOptions(Command* parent, Action* action);
void AddSequence(Command* parent, Action* action);
void AddSegment(Command* parent, Action* action);
void AddMatching(Command* parent, Action* action);
void AddMulticlass(Command* parent, Action* action);
void AddLinear(Command* parent, Action* action);

/// Adds `--name PLACEHOLDER` with wrapped help text. The text ends with the default in brackets
/// unless the default is empty.
Option* AddTextOption(Command* app, std::string_view name, std::string* value,
                      std::string_view placeholder, std::string_view text,
                      std::string_view default_text = "");

/// The options of training, registered from their option records.
class TrainFlags {
 public:
  /// All of them, for a command with --learner; `slackline options` describes those that are not
  /// basic.
  /// names: the options that the command has; empty: all.
  void Register(Command* app, std::span<const std::string_view> names = {});
  /// To be called after Register: sets the default text of an option whose default differs from its
  /// record, or hides an option that the command does not offer.
  void SetDefaultText(std::string_view name, std::string_view default_text);
  void Hide(std::string_view name);
  bool Given(std::string_view name) const;
  /// The options with all given values; `learner`: that of a command that has no --learner. Throws
  /// DataError on bad values and contradictions.
  TrainOptions Read(LearnerKind learner = LearnerKind::kAuto) const;

 private:
  struct Flag {
    std::string value;
    Option* option = nullptr;
  };
  void Register(Command* app, const OptionRecord& record, Audience audience);

  std::map<std::string, Flag, std::less<>> flags_;
};

/// --threads of every command that predicts.
struct ThreadFlag {
  std::string threads = "1";

  void Register(Command* app);
  /// The number of threads, at least 1. Throws DataError on bad values.
  int Read() const;
};

/// --decode and --threads.
struct DecodeFlags {
  std::string decode = "auto";
  ThreadFlag threads;

  void Register(Command* app);
  DecodeKind ReadDecode() const;
  int ReadThreads() const { return threads.Read(); }
};

/// Calls `work`. Puts the option's name before the message of a DataError that lacks it.
template <class Work>
auto ForOption(std::string_view option, const Work& work) {
  try {
    return work();
  } catch (const DataError& error) {
    const std::string message = error.what();
    const std::string name = "--" + std::string(option);
    if (message.starts_with(name)) throw;
    throw DataError(name + ": " + message);
  }
}

/// The choice whose Name equals the value of `--option`. Throws DataError as CheckChoice does.
template <class T>
T ReadChoice(std::string_view option, std::string_view value, std::initializer_list<T> choices) {
  std::vector<std::string_view> names;
  for (const T choice : choices) names.push_back(Name(choice));
  return choices.begin()[CheckChoice(option, value, names)];
}

/// Checks an output before any work is done. Throws DataError when `path` (given with `--option`)
/// cannot be written, or is one of the `inputs` ("-": the file that the standard input reads from).
/// If special_files is true, devices, pipes and "-", the standard output, are allowed.
void CheckOutput(std::string_view option, const std::string& path,
                 const std::vector<std::string>& inputs, bool special_files);

/// Writes all bytes: to the standard output if `path` is "" or "-", directly to a device or pipe,
/// and atomically to a file. Throws DataError on failure.
void WriteOutput(const std::string& path, std::string_view bytes);

/// Prints a line "note: …" to the standard error for each note.
void TellNotes(const std::vector<std::string>& notes);

/// Throws DataError if any write to the standard output has failed.
void CheckStandardOutput();

/// Appends what printf would print, of any length.
[[gnu::format(printf, 2, 3)]] void Append(std::string* text, const char* format, ...);
/// Significant digits of scores and probabilities that `predict` writes.
inline constexpr int kScoreDigits = 9;
/// The number in the format %.<digits>g.
std::string Number(double value, int digits = 6);
/// The number of characters (code points of UTF-8).
std::size_t Length(std::string_view text);
/// Lines of at most `width` characters, broken at blanks.
std::string Wrap(std::string_view text, std::size_t width);
/// An ASCII text, right-aligned in a column of this width.
std::string RightCell(const std::string& text, std::size_t width);
/// One cell of a comma-separated line. It is quoted if it is empty, contains a comma, a quote or a
/// line end, or begins or ends with a blank.
std::string CsvCell(const std::string& text);
/// The cells in one line.
std::string CellRow(const std::vector<std::string>& cells, char separator);
/// Appends a line for every `columns` scores.
void AppendScoreRows(std::span<const double> scores, std::size_t columns, char separator,
                     std::string* text);

}  // namespace slackline::internal::program
