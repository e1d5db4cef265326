// SPDX-License-Identifier: BSD-3-Clause
//
// A named pipe with a writing process, for code that must read a file once, and only to its end.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace slackline::internal::test {

/// Makes a named pipe. A separate process writes the bytes into it once and then, with `endless`,
/// zeros without end.
class Pipe {
 public:
  Pipe(std::string path, const std::string& bytes, bool endless = false) : path_(std::move(path)) {
    if (mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
    writer_ = fork();
    if (writer_ < 0) throw std::runtime_error("fork failed");
    if (writer_ == 0) Write(bytes, endless);
  }
  ~Pipe() {
    kill(writer_, SIGKILL);
    waitpid(writer_, nullptr, 0);
    unlink(path_.c_str());
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  const std::string& path() const { return path_; }

 private:
  /// Runs in the writing process and ends it.
  [[noreturn]] void Write(std::string bytes, bool endless) const {
    const int descriptor = open(path_.c_str(), O_WRONLY);
    do {
      for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = write(descriptor, bytes.data() + done, bytes.size() - done);
        if (count <= 0) _exit(0);
        done += count;
      }
      bytes.assign(1 << 16, '\0');
    } while (endless);
    _exit(0);
  }

  std::string path_;
  pid_t writer_ = -1;
};

}  // namespace slackline::internal::test
