// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the program with pipes at both ends, for tests in which it must answer before its input
// ends.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slackline::internal::test {

class Conversation {
 public:
  explicit Conversation(const std::vector<std::string>& arguments);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void Write(const std::string& text) const;
  /// Closes the input.
  void CloseInput();
  /// The next line of the output, without its end; empty at the end of the output, and where no
  /// line arrives within a minute.
  std::string ReadLine();
  /// Waits for the program to end; returns the exit code.
  int Wait();

 private:
  pid_t child_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string unread_;
};

}  // namespace slackline::internal::test
