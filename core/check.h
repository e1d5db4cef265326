// SPDX-License-Identifier: BSD-3-Clause
//
// How errors are reported. Three kinds, and no others:
//   - DataError: the user's input (file, option, model) is bad. Thrown by readers and builders,
//     caught once in main().
//   - std::invalid_argument from SLACKLINE_CHECK: a caller broke a documented requirement. Always
//     on, at API boundaries.
//   - SLACKLINE_DCHECK: an internal invariant inside a kernel. Debug builds only.
#pragma once

#include <stdexcept>
#include <string>

namespace slackline::internal {

/// Bad input. what() reads "file:line: message", as far as file and line are known.
class DataError : public std::runtime_error {
 public:
  explicit DataError(const std::string& message) : std::runtime_error(message) {}
  /// line counts from 1; 0 = the file as a whole.
  DataError(const std::string& file, long line, const std::string& message)
      : std::runtime_error(Place(file, line).append(": ").append(message)) {}

 private:
  static std::string Place(std::string file, long line) {
    if (line > 0) file.append(":").append(std::to_string(line));
    return file;
  }
};

[[noreturn]] inline void CheckFailed(const char* file, int line, const std::string& message) {
  throw std::invalid_argument(message + " [" + file + ":" + std::to_string(line) + "]");
}

}  // namespace slackline::internal

/// Throws std::invalid_argument with `message` (a string expression, evaluated only on failure).
#define SLACKLINE_CHECK(condition, message)                              \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ::slackline::internal::CheckFailed(__FILE__, __LINE__, (message)); \
    }                                                                    \
  } while (false)

#ifdef NDEBUG
#define SLACKLINE_DCHECK(condition) \
  do {                              \
  } while (false)
#else
#define SLACKLINE_DCHECK(condition) SLACKLINE_CHECK(condition, "internal check failed: " #condition)
#endif
