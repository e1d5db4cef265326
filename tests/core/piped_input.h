// SPDX-License-Identifier: BSD-3-Clause
//
// A pipe as the standard input of a test.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include <tests/core/pipe.h>
#include <tests/core/temporary_folder.h>

namespace slackline::internal::test {

/// While it lives, the standard input is a pipe that gives these bytes.
class PipedInput {
 public:
  explicit PipedInput(const std::string& bytes)
      : pipe_(folder_.Path("pipe"), bytes), saved_(dup(STDIN_FILENO)) {
    const int descriptor = open(pipe_.path().c_str(), O_RDONLY);
    dup2(descriptor, STDIN_FILENO);
    close(descriptor);
  }
  ~PipedInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;

 private:
  TemporaryFolder folder_;
  Pipe pipe_;
  int saved_;
};

}  // namespace slackline::internal::test
