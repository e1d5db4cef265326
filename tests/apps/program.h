// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the built program, and makes small data for it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tests/core/temporary_folder.h>

namespace slackline::internal::test {

struct Outcome {
  int code = -1;  ///< exit code; 1000 + number when a signal ended the program
  std::string out;
  std::string err;
};

/// One run of the program. Its output goes to temporary files, except for the standard output where
/// `output` is given. `prepare` is called in the new process before the program starts.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments,
                   const std::string& input = "/dev/null", const std::string& output = "",
                   const std::function<void()>& prepare = nullptr);
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
  TemporaryFolder folder_;
  pid_t child_ = -1;
};

Outcome RunProgram(const std::vector<std::string>& arguments,
                   const std::string& input = "/dev/null", const std::string& output = "",
                   const std::function<void()>& prepare = nullptr);

/// Runs the program in the least address space in which it succeeds, from 14 MB on in steps of
/// `step_kb`. With less space the run must end with exit code 1 and a message that memory was not
/// enough, or with code 2 and the size of the data. (Below 14 MB the loader ends programs.)
Outcome RunInLeastMemory(const std::vector<std::string>& arguments, long step_kb);

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b);

std::vector<std::string> Lines(const std::string& text);

/// LIBSVM text: every label follows one feature, with some noise; some examples have no label.
std::string LibsvmText(int examples, int features, int labels, std::uint64_t seed);

/// The same data as dense ARFF with labels L0, L1, … behind the features, and their XML.
std::string ArffText(int examples, int features, int labels, std::uint64_t seed);
std::string XmlText(int labels);

}  // namespace slackline::internal::test
