// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the built program, and makes small data for it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tests/core/temporary_folder.h>

namespace slackline::internal::test {

using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

struct Outcome {
  int code = -1;  ///< exit code; 1000 + number when a signal ended the program
  std::string out;
  std::string err;
};

/// As the first argument: the program that compares learners runs with the others. Its tests are
/// those of tests/bench.
inline constexpr const char* kBenchProgram = "slackline-bench";

/// One run of the program. Its output goes to temporary files, except for the standard output where
/// `output` is given. `prepare` is called in the new process before the program starts.
class Process {
 public:
  explicit Process(const Arguments& arguments, const std::string& input = "/dev/null",
                   const std::string& output = "", const std::function<void()>& prepare = nullptr);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Signal(int number) const;

  /// Waits until the program has a handler for the signal; false after a minute, or when the
  /// program has ended.
  bool Catches(int number) const;

  /// Waits until the program has a handler for the signal and has then used `cpu_seconds` of
  /// processor time, more than it needs to start; false as for Catches. Does not depend on the load
  /// of the machine.
  bool Works(int number, double cpu_seconds = 0.5) const;

  /// Outcome::out is empty when the standard output was given.
  Outcome Wait();

 private:
  std::string program_;
  TemporaryFolder folder_;
  pid_t child_ = -1;
};

Outcome RunProgram(const Arguments& arguments, const std::string& input = "/dev/null",
                   const std::string& output = "", const std::function<void()>& prepare = nullptr);

/// Checks that the run has succeeded. Returns its outcome.
Outcome Succeed(Outcome outcome);
/// The same after the run.
Outcome Succeed(const Arguments& arguments, const std::string& input = "/dev/null",
                const std::string& output = "", const std::function<void()>& prepare = nullptr);
/// What such a run prints.
std::string OutputOf(const Arguments& arguments, const std::string& input = "/dev/null");
Json JsonOf(const Arguments& arguments);

/// Checks that the run ended with exit code 2 and a message that has all parts, the last line.
void CheckStopped(const Outcome& outcome, const Arguments& parts);
/// The same for a run without output, and without another line.
void CheckRefusal(const Outcome& outcome, const Arguments& parts);
template <class... Parts>
void CheckRefused(const Outcome& outcome, const Parts&... parts) {
  CheckRefusal(outcome, {parts...});
}
template <class... Parts>
void CheckRefused(const Arguments& arguments, const Parts&... parts) {
  CheckRefusal(RunProgram(arguments), {parts...});
}

/// Runs the program in the least address space in which it succeeds, from 14 MB on in steps of
/// `step_kb`. With less space the run must end with exit code 1 and a message that memory was not
/// enough, or with code 2 and the size of the data. (Below 14 MB the loader ends programs.)
Outcome RunInLeastMemory(const Arguments& arguments, long step_kb);

Arguments operator+(Arguments a, const Arguments& b);

std::vector<std::string> Lines(const std::string& text);

/// LIBSVM text: every label follows one feature, with some noise; some examples have no label.
std::string LibsvmText(int examples, int features, int labels, std::uint64_t seed);

/// The same data as dense ARFF with labels L0, L1, … behind the features, and their XML.
std::string ArffText(int examples, int features, int labels, std::uint64_t seed);
std::string XmlText(int labels);

}  // namespace slackline::internal::test
