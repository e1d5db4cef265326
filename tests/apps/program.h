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

/// One run of the program. Its output goes to files of its own, but for the standard output where
/// `output` is given. `prepare` is called in the new process before the program.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments,
                   const std::string& input = "/dev/null", const std::string& output = "",
                   const std::function<void()>& prepare = nullptr);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Signal(int number) const;

  /// Returns when the program has a handler for the signal; false after a minute, or when it has
  /// ended.
  bool Catches(int number) const;

  /// Returns when the program has a handler for the signal and has then used this much processor
  /// time, which is beyond what it needs to begin; false as Catches. Does not depend on how busy
  /// the machine is.
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

/// The run in the least address space in which it succeeds, from 14 MB on in such steps. Whatever
/// is less must end it with exit code 1 and the message that memory was not enough, or with 2 and
/// its size. (Below that the loader ends programs.)
Outcome RunInLeastMemory(const std::vector<std::string>& arguments, long step_kb);

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b);

std::vector<std::string> Lines(const std::string& text);

/// LIBSVM text: every label follows one feature, with some noise; some examples have no label.
std::string LibsvmText(int examples, int features, int labels, std::uint64_t seed);

/// The same, as dense ARFF with labels L0, L1, … behind the features, and their XML.
std::string ArffText(int examples, int features, int labels, std::uint64_t seed);
std::string XmlText(int labels);

}  // namespace slackline::internal::test
