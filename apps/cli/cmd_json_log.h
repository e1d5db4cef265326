// SPDX-License-Identifier: BSD-3-Clause
//
// A log of JSON objects, one per line, that others can read while the program writes it. Part of
// the program only.
#pragma once

#include <fstream>
#include <ostream>
#include <string>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

class JsonLog {
 public:
  /// Replaces an existing file; "-" is the standard output. Throws DataError when the file cannot
  /// be opened.
  void Open(const std::string& path);
  bool open() const { return log_ != nullptr; }
  /// Writes a line at once. Requires an open log.
  void Write(const Json& json);
  /// Throws DataError if a part of the log could not be written.
  void Check() const;

 private:
  std::string path_;
  std::ofstream file_;
  std::ostream* log_ = nullptr;
};

}  // namespace slackline::internal::program
