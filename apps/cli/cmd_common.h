// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands of the program share. Part of the program only, not of the library.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/loss.h>
#include <slackline/core/number_text.h>
#include <slackline/inference/decode.h>
#include <slackline/learning/options.h>

// Most files that include this one do without the parser's header.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slackline::internal::program {

/// What a parsed command line is to do; returns the exit code of the program.
using Action = std::function<int()>;

/// Each adds its command to `parent`; parsing it sets *action.
void AddMultiLabelTrain(CLI::App* parent, Action* action);
void AddMultiLabelPredict(CLI::App* parent, Action* action);
void AddMultiLabelEvaluate(CLI::App* parent, Action* action);
void AddMultiLabelCv(CLI::App* parent, Action* action);
void AddInfo(CLI::App* parent, Action* action);
void AddBench(CLI::App* parent, Action* action);
void AddReport(CLI::App* parent, Action* action);
void AddSequence(CLI::App* parent, Action* action);
void AddSegment(CLI::App* parent, Action* action);
void AddMatching(CLI::App* parent, Action* action);

/// "slackline 0.1.0".
std::string ProgramVersion();

/// Adds `--name PLACEHOLDER` with wrapped help text, which ends with the default in brackets unless
/// that is empty.
CLI::Option* AddTextOption(CLI::App* app, std::string_view name, std::string* value,
                           std::string_view placeholder, std::string_view text,
                           std::string_view default_text = "");

/// The options of training, registered from their records.
class TrainFlags {
 public:
  void Register(CLI::App* app);
  /// To be called after Register: for an option with another default than its record has, and for
  /// one that the command does not offer.
  void SetDefaultText(std::string_view name, std::string_view default_text);
  void Hide(std::string_view name);
  bool Given(std::string_view name) const;
  /// The options with all given values set. Throws DataError on bad values and contradictions.
  TrainOptions Read() const;

 private:
  struct Flag {
    std::string value;
    CLI::Option* option = nullptr;
  };
  std::map<std::string, Flag, std::less<>> flags_;
};

/// --threads of all commands that predict.
struct ThreadFlag {
  std::string threads = "1";

  void Register(CLI::App* app);
  /// At least 1.
  int Read() const;
};

/// --decode and --threads.
struct DecodeFlags {
  std::string decode = "auto";
  ThreadFlag threads;

  void Register(CLI::App* app);
  DecodeKind ReadDecode() const;
  int ReadThreads() const { return threads.Read(); }
};

/// Calls `work`, and puts the option's name before the message of a DataError that lacks it.
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

/// The value of `--option`: a whole number, or a number. Throw DataError that says what is allowed.
Index ReadCount(std::string_view option, std::string_view value, Index minimum,
                Index maximum = std::numeric_limits<Index>::max());
double ReadReal(std::string_view option, std::string_view value, bool positive,
                double largest = kInfinity);

/// The number of the choice that is the value of `--option`. Throws DataError that names all of
/// them when there is none.
std::size_t CheckChoice(std::string_view option, std::string_view value,
                        const std::vector<std::string_view>& choices);

/// --loss mean|count.
LossScale ReadLossScale(std::string_view value);

/// The choice whose Name is the value of `--option`. Throws DataError as CheckChoice does.
template <class T>
T ReadChoice(std::string_view option, std::string_view value, std::initializer_list<T> choices) {
  std::vector<std::string_view> names;
  for (const T choice : choices) names.push_back(Name(choice));
  return choices.begin()[CheckChoice(option, value, names)];
}

/// Throws DataError, before any work is done, when `path` (given with `--option`) cannot be
/// written, or is one of the `inputs` ("-": the file that the standard input comes from). Devices
/// and pipes are allowed when `special_files` is true, and so is "-", the standard output.
void CheckOutput(std::string_view option, const std::string& path,
                 const std::vector<std::string>& inputs, bool special_files);

/// Writes the bytes at once: to the standard output when `path` is "" or "-", to a device or pipe
/// as it is, and to a file so that it is never half written. Throws DataError on failure.
void WriteOutput(const std::string& path, std::string_view bytes);

/// Throws DataError when anything that was written to the standard output did not arrive.
void CheckStandardOutput();

/// Appends what printf would print, of any length.
[[gnu::format(printf, 2, 3)]] void Append(std::string* text, const char* format, ...);
/// Significant digits of scores and probabilities that `predict` writes.
inline constexpr int kScoreDigits = 9;
/// %.<digits>g
std::string Number(double value, int digits = 6);
/// Number of characters (code points of UTF-8).
std::size_t Length(std::string_view text);
/// Lines of at most `width` characters, broken at blanks.
std::string Wrap(std::string_view text, std::size_t width);
/// An ASCII text, aligned to the right in a column of this width.
std::string RightCell(const std::string& text, std::size_t width);
/// One cell of a comma-separated line: in quotes where it is empty, contains a comma, a quote or a
/// line end, or begins or ends with a blank.
std::string CsvCell(const std::string& text);

}  // namespace slackline::internal::program
